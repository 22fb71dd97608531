<?php

declare(strict_types=1);

namespace Hollow\Parcel\Tests;

use Hollow\Parcel\Carrier\Post;
use Hollow\Parcel\Desk;
use Hollow\Parcel\Model\Parcel;
use Hollow\Parcel\Model\Status;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

use function Hollow\Parcel\stamps_for;

final class DeskTest extends TestCase
{
    private Desk $desk;

    protected function setUp(): void
    {
        $this->desk = new Desk();
    }

    public function testSentParcelMoves(): void
    {
        $status = $this->desk->send(Parcel::cube(10, 2.0));

        $this->assertSame(Status::Moving, $status);
    }

    #[Test]
    public function a_post_counts_stamps(): void
    {
        $post = new Post();
        $post->take(Parcel::cube(1, 1.0));

        self::assertSame(stamps_for(390), $post->stamps);
        self::assertCount(1, $post);
    }
}

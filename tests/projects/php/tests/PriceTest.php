<?php

declare(strict_types=1);

use PHPUnit\Framework\TestCase;

final class PriceTest extends TestCase
{
    public function testKeepsItsCents(): void
    {
        self::assertSame(100, (new Price(100))->cents);
    }

    /** @dataProvider discounts */
    public function testDiscount(int $percent, int $expected): void
    {
        self::assertSame($expected, (new Price(100))->discounted($percent)->cents);
    }

    public static function discounts(): array
    {
        return ['nothing' => [0, 100], 'half off' => [50, 50]];
    }

    public function testHasALabel(): void
    {
        self::assertSame('1.00', (new Price(100))->label());
    }

    public function testGroupsThousands(): void
    {
        self::markTestSkipped('not settled');
    }
}

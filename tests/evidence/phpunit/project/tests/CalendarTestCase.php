<?php

use Calendar\Meeting;
use PHPUnit\Framework\TestCase;

abstract class CalendarTestCase extends TestCase
{
    protected function meeting(string $from, string $to): Meeting
    {
        return new Meeting(new DateTimeImmutable($from), new DateTimeImmutable($to));
    }

    protected static function assertOverlap(bool $expected, Meeting $one, Meeting $other): void
    {
        self::assertSame($expected, $one->overlaps($other));
        self::assertSame($expected, $other->overlaps($one));
    }
}

<?php

namespace Calendar;

use DateTimeImmutable;

final class Week
{
    /** Working days from one day to another, both counted. */
    public static function workingDays(DateTimeImmutable $from, DateTimeImmutable $to): int
    {
        $days = 0;
        for ($day = $from; $day <= $to; $day = $day->modify('+1 day')) {
            $days += $day->format('N') <= 5 ? 1 : 0;
        }
        return $days;
    }

    public static function render(DateTimeImmutable $monday): string
    {
        $lines = [];
        for ($n = 0; $n < 5; $n++) {
            $lines[] = $monday->modify("+$n days")->format('D d M');
        }
        return implode("\n", $lines) . "\n";
    }
}

<?php

namespace Calendar;

use DateTimeImmutable;
use InvalidArgumentException;

final class Meeting
{
    public function __construct(public readonly DateTimeImmutable $from, public readonly DateTimeImmutable $to)
    {
        if ($to <= $from) {
            throw new InvalidArgumentException('a meeting ends after it begins');
        }
    }

    public function overlaps(Meeting $other): bool
    {
        return $this->from < $other->to && $other->from < $this->to;
    }

    public function minutes(): int
    {
        return intdiv($this->to->getTimestamp() - $this->from->getTimestamp(), 60);
    }
}

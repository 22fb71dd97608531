<?php

final class MeetingTest extends CalendarTestCase
{
    public function testMeetingsOverlap(): void
    {
        self::assertOverlap(true, $this->meeting('10:00', '11:00'), $this->meeting('10:30', '12:00'));
    }

    public function testMeetingsMayTouch(): void
    {
        self::assertOverlap(false, $this->meeting('10:00', '11:00'), $this->meeting('11:00', '12:00'));
    }

    public function testMinutes(): void
    {
        self::assertSame(90, $this->meeting('10:00', '11:30')->minutes());
    }

    public function testItEndsAfterItBegins(): void
    {
        $this->expectException(InvalidArgumentException::class);
        $this->meeting('11:00', '11:00');
    }
}

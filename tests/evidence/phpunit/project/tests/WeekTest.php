<?php

use Calendar\Week;

final class WeekTest extends CalendarTestCase
{
    /** @dataProvider spans */
    public function testWorkingDays(string $from, string $to, int $days): void
    {
        self::assertSame($days, Week::workingDays(new DateTimeImmutable($from), new DateTimeImmutable($to)));
    }

    public static function spans(): array
    {
        return [
            'one day' => ['2026-03-02', '2026-03-02', 1],
            'a week' => ['2026-03-02', '2026-03-08', 5],
            'a weekend' => ['2026-03-07', '2026-03-08', 0],
        ];
    }

    public function testRender(): void
    {
        self::assertStringEqualsFile(__DIR__ . '/fixtures/week.txt', Week::render(new DateTimeImmutable('2026-03-02')));
    }
}

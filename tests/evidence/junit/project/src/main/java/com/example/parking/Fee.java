package com.example.parking;

import java.time.Duration;

/** What a stay costs, in cents: every hour that begins. */
public final class Fee {
    private static final int PER_HOUR = 250;
    private static final int PER_DAY = 2_000;

    private Fee() {}

    public static int of(Duration stay) {
        if (stay.isNegative()) {
            throw new IllegalArgumentException("a stay cannot be negative");
        }
        long days = stay.toDays();
        long minutes = stay.minusDays(days).toMinutes();
        long hours = (minutes + 59) / 60;
        return (int) (days * PER_DAY + Math.min(hours * PER_HOUR, PER_DAY));
    }
}

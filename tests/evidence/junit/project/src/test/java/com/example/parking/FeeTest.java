package com.example.parking;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FeeTest {
    @ParameterizedTest
    @CsvSource({"0, 0", "60, 250", "61, 500", "1440, 2000"})
    void minutesCost(long minutes, int cents) {
        assertEquals(cents, Fee.of(Duration.ofMinutes(minutes)));
    }

    @Test
    @DisplayName("a day costs at most 20 euros")
    void aDayHasALimit() {
        assertEquals(2_000, Fee.of(Duration.ofHours(23)));
        assertEquals(2_250, Fee.of(Duration.ofHours(25)));
    }

    @Test
    void aStayCannotBeNegative() {
        assertThrows(IllegalArgumentException.class, () -> Fee.of(Duration.ofMinutes(-1)));
    }
}

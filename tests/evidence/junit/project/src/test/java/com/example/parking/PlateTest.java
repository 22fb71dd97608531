package com.example.parking;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class PlateTest {
    private List<String> plates;

    @BeforeEach
    void read() throws Exception {
        plates = Resources.lines("plates.txt");
    }

    @Test
    void everyPlateOfTheListIsKnown() {
        List<String> texts = plates.stream().map(Plate::new).map(Plate::text).toList();
        assertEquals(List.of("UL-AB-123", "B-X-1"), texts);
    }

    @Nested
    class Writing {
        @Test
        void smallLettersAreRead() {
            assertEquals(new Plate("UL-AB-123"), new Plate("ul ab 123"));
        }
    }
}

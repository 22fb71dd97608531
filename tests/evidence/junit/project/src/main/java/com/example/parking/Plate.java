package com.example.parking;

import java.util.Locale;

/** The number on a car. */
public record Plate(String text) {
    public Plate {
        text = text.strip().toUpperCase(Locale.ROOT).replaceAll("[ -]+", "-");
        if (!text.matches("[A-Z]{1,3}-[A-Z]{1,2}-[0-9]{1,4}")) {
            throw new IllegalArgumentException(text);
        }
    }
}

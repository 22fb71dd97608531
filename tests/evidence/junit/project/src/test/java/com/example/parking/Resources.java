package com.example.parking;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

final class Resources {
    private Resources() {}

    static List<String> lines(String name) throws IOException {
        try (var stream = Resources.class.getResourceAsStream("/" + name)) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
        }
    }
}

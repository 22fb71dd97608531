package org.example.orchard.util;

import java.util.Locale;
import java.util.function.Function;

public final class Texts {
    public static final int WIDTH = 24;
    private static int made;

    private Texts() {}

    public static String pad(String text) {
        return pad(text, WIDTH);
    }

    public static String pad(String text, int width) {
        made++;
        return text.length() >= width ? text : pad(text + " ", width);
    }

    public static <T> String join(Iterable<? extends T> all, Function<? super T, String> each) {
        var joined = new StringBuilder();
        for (T one : all) {
            joined.append(each.apply(one)).append('\n');
        }
        return joined.toString();
    }

    public static String label(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}

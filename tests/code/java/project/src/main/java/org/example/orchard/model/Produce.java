package org.example.orchard.model;

import java.util.Comparator;
import java.util.Objects;
import org.example.orchard.util.Checked;

/** Whatever grows and can be sold. */
public sealed interface Produce extends Comparable<Produce> permits Fruit, Nut {
    Comparator<Produce> BY_NAME = Comparator.comparing(Produce::name);

    String name();

    Grade grade();

    default long price(long base) {
        return grade().price(base);
    }

    @Override
    default int compareTo(Produce other) {
        return BY_NAME.compare(this, other);
    }

    static Produce parse(String line) {
        String[] words = line.split(";");
        return words.length > 2
            ? new Fruit(words[0], Double.parseDouble(words[1]), words[2])
            : new Nut(words[0], Grade.valueOf(words[1]));
    }
}

/** A fruit, graded by how sweet it is. */
@Checked(by = "Ines", level = Checked.Level.THOROUGH)
record Fruit(String name, double sugar, String tree) implements Produce {
    static final double MOST = 30;

    Fruit {
        Objects.requireNonNull(name);
        if (sugar < 0 || sugar > MOST) {
            throw new IllegalArgumentException("sugar " + sugar);
        }
    }

    @Override
    public Grade grade() {
        return Grade.of(sugar);
    }
}

record Nut(String name, Grade grade) implements Produce {
    @Override
    public long price(long base) {
        return Produce.super.price(base) * 2;
    }
}

package org.example.orchard.model;

import static org.example.orchard.util.Texts.label;

/** How good a fruit is. */
public enum Grade {
    FINE(3) {
        @Override
        public long price(long base) {
            return super.price(base) + 10;
        }
    },
    GOOD(2),
    JUICE(1);

    private final int factor;

    Grade(int factor) {
        this.factor = factor;
    }

    public long price(long base) {
        return base * factor;
    }

    public static Grade of(double sugar) {
        if (sugar > 12.5) {
            return FINE;
        }
        return sugar > 9 ? Grade.GOOD : JUICE;
    }

    @Override
    public String toString() {
        return label(this);
    }
}

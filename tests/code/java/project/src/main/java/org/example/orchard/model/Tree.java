package org.example.orchard.model;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/** Something that bears produce, year by year. */
public abstract class Tree<P extends Produce> implements Iterable<P> {
    private static long planted;

    protected final String place;
    private final List<Harvest> harvests = new ArrayList<>();

    static {
        planted = 0;
    }

    protected Tree(String place) {
        this.place = place;
        planted++;
    }

    protected abstract P pick(int year);

    public Harvest harvest(int year, int count) {
        var harvest = new Harvest(year);
        for (int i = 0; i < count; i++) {
            harvest.add(pick(year));
        }
        harvests.add(harvest);
        return harvest;
    }

    @Override
    public Iterator<P> iterator() {
        return new Iterator<>() {
            private int at = 0;

            @Override
            public boolean hasNext() {
                return at < harvests.size();
            }

            @Override
            public P next() {
                return harvests.get(at++).picked.get(0);
            }
        };
    }

    /** What was picked in a year. */
    public class Harvest {
        private final int year;
        private final List<P> picked = new ArrayList<>();

        Harvest(int year) {
            this.year = year;
        }

        void add(P one) {
            picked.add(one);
        }

        public String where() {
            return Tree.this.place + " " + year;
        }

        public List<P> all() {
            return List.copyOf(picked);
        }
    }

    /** A tree of apples. */
    public static class Apple extends Tree<Produce> {
        public Apple(String place) {
            super(place);
        }

        @Override
        protected Produce pick(int year) {
            return new Fruit("apple", year % 15, place);
        }
    }

    public static final class Walnut extends Tree<Produce> {
        public Walnut() {
            super("yard");
        }

        @Override
        protected Produce pick(int year) {
            return new Nut("walnut", Grade.GOOD);
        }

        void shake() {
            harvest(2024, 5);
        }
    }
}

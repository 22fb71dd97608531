package org.example.orchard.stock;

import java.util.*;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.example.orchard.model.*;
import org.example.orchard.util.Checked;

/** What is in the barn. */
public class Stock {
    /** Thrown when there is not enough. */
    public static class Shortage extends RuntimeException {
        Shortage(String name, int missing) {
            super(missing + " " + name + " missing");
        }
    }

    public interface Listener {
        void changed(Stock stock, Produce what);
    }

    private final SortedMap<Produce, Integer> counts = new TreeMap<>();
    private final List<Listener> listeners = new ArrayList<>();

    public Stock add(Produce what) {
        return add(what, 1);
    }

    public Stock add(Produce what, int count) {
        counts.merge(what, count, Integer::sum);
        tell(what);
        return this;
    }

    public Stock addAll(Tree<?>.Harvest harvest) {
        for (var each : harvest.all()) {
            this.add(each);
        }
        return this;
    }

    @Checked
    public void take(Produce what, int count) {
        int have = counts.getOrDefault(what, 0);
        if (have < count) {
            throw new Shortage(what.name(), count - have);
        }
        counts.put(what, have - count);
        tell(what);
    }

    public void onChange(Listener listener) {
        listeners.add(listener);
    }

    public Stream<Produce> find(Predicate<? super Produce> wanted) {
        return counts.keySet().stream().filter(wanted);
    }

    public long worth(long base) {
        return counts.entrySet().stream().mapToLong(e -> e.getKey().price(base) * e.getValue()).sum();
    }

    private void tell(Produce what) {
        listeners.forEach(each -> each.changed(this, what));
    }
}

package org.example.orchard.stock;

import static org.example.orchard.util.Texts.*;

import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import org.example.orchard.model.Produce;
import org.example.orchard.util.Texts;

/** Writes down each change of a stock. */
public class Ledger implements Stock.Listener, AutoCloseable {
    private record Line(LocalDate day, String text) {
        Line longer(String more) {
            return new Line(day, text + more);
        }
    }

    private final List<Line> lines;
    protected boolean open = true;

    public Ledger() {
        this(new ArrayList<>());
    }

    Ledger(List<Line> lines) {
        this.lines = lines;
    }

    @Override
    public void changed(Stock stock, Produce what) {
        if (!open) {
            throw new IllegalStateException("closed");
        }
        var line = new Line(LocalDate.now(), pad(what.name()));
        lines.add(line.longer(" worth " + stock.worth(10)));
    }

    @Override
    public void close() {
        open = false;
    }

    public String text() {
        class Counter {
            int at;

            String number(Line line) {
                return ++at + " " + line.text();
            }
        }
        var counter = new Counter();
        return Texts.join(lines, counter::number);
    }
}

/** A ledger that forgets. */
class ShortLedger extends Ledger {
    private final int most;

    ShortLedger(int most) {
        this.most = most;
    }

    @Override
    public String text() {
        String all = super.text();
        return all.substring(0, Math.min(most * WIDTH, all.length()));
    }

    void reopen() {
        close();
        this.open = true;
    }
}

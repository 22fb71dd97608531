package org.example.orchard.stock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.example.orchard.model.Produce;
import org.example.orchard.model.Tree;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class StockTest {
    private Stock stock;
    private final Produce pear = Produce.parse("pear;13;old");

    @BeforeEach
    void fill() {
        stock = new Stock().add(pear, 2);
    }

    @Test
    void takesWhatIsThere() {
        stock.take(pear, 2);
        assertEquals(0, stock.worth(10));
    }

    @Test
    void tellsOfShortage() {
        assertThrows(Stock.Shortage.class, () -> stock.take(pear, 3));
    }

    @Test
    void shortLedgersForget() {
        var ledger = new ShortLedger(1);
        stock.onChange(ledger);
        stock.addAll(new Tree.Apple("hill").harvest(2023, 2));
        ledger.reopen();
        assertEquals(24, ledger.text().length());
    }
}

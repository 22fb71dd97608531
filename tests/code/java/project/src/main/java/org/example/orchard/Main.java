package org.example.orchard;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.example.orchard.model.Grade;
import org.example.orchard.model.Produce;
import org.example.orchard.model.Tree;
import org.example.orchard.model.Tree.Apple;
import org.example.orchard.stock.Ledger;
import org.example.orchard.stock.Stock;

public class Main {
    private static final List<Tree<?>> TREES = List.of(new Apple("hill"), new Tree.Walnut());

    private final Stock stock = new Stock();

    void fill(int year) {
        for (Tree<?> tree : TREES) {
            stock.addAll(tree.harvest(year, 3));
        }
    }

    void read(Path path) throws Exception {
        try (var lines = Files.lines(path)) {
            lines.map(Produce::parse).forEach(stock::add);
        }
    }

    String best() {
        return stock.find(each -> each.grade() == Grade.FINE)
            .findFirst()
            .map(Produce::name)
            .orElse("nothing");
    }

    public static void main(String... args) throws Exception {
        var main = new Main();
        try (Ledger ledger = new Ledger()) {
            main.stock.onChange(ledger);
            main.fill(2024);
            if (args.length > 0) {
                main.read(Path.of(args[0]));
            }
            System.out.println(ledger.text() + main.best());
        } catch (Stock.Shortage shortage) {
            System.err.println(shortage.getMessage());
        }
    }
}

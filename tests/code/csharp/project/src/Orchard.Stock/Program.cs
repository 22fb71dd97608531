using Orchard.Stock;
using Orchard.Stock.Models;
using Memory = Orchard.Stock.Stores.MemoryStore;

internal static class Program
{
    private static readonly Item[] Samples =
    [
        new("Ingrid Marie", Price.Of(4)) { Grade = Grade.Prize },
        new Crate("Aroma", Price.Of(2.5m), 40),
    ];

    private static async Task<int> Main(string[] args)
    {
        using var store = new Memory();
        var shelf = new Shelf(store);
        shelf.Changed += Report;
        foreach (var sample in Samples) shelf.Add(sample);
        shelf.Add("Gravenstein", 3);

        foreach (var line in Samples.Lines()) await Console.Out.WriteLineAsync(line);
        Console.WriteLine(Text.Shown(shelf.Total()));
        Console.WriteLine(store.Find("aroma")?.ToString() ?? nameof(Samples));
        return store.Puts == shelf.Count ? 0 : 1;
    }

    private static void Report(Shelf shelf, Item item)
    {
        void Write(string Samples) => Console.WriteLine(Samples);

        Write($"{item.Name} of {shelf.Count}, {Shelf.Made} shelves");
    }
}

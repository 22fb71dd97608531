using Orchard.Stock.Models;
using Orchard.Stock.Stores;
using static Orchard.Stock.Text;

namespace Orchard.Stock;

public delegate void ShelfChanged(Shelf shelf, Item item);

public partial class Shelf
{
    private readonly IStore<Item> _store;
    private readonly List<Item> _items = [];

    public event ShelfChanged? Changed;

    static Shelf() => Made = 0;

    public Shelf(IStore<Item> store)
    {
        _store = store;
        Made++;
    }

    public Shelf() : this(new MemoryStore()) { }

    public static int Made { get; private set; }

    public int Count => _items.Count;

    public Shelf Add(Item item)
    {
        _items.Add(item);
        _store.Put(Slug(item.Name), item);
        OnChanged(item);
        return this;
    }

    public Shelf Add(string name, decimal price) => Add(new Item(name, Price.Of(price)));

    public Price Total()
    {
        var sum = Price.Zero.Amount;
        foreach (var item in _items)
        {
            sum += Cost(item).Amount;
        }

        return Price.Of(sum);

        static Price Cost(Item item) => item switch
        {
            Crate { Count: var n } => item.Each.Times(n),
            _ => item.Each,
        };
    }

    public T? Heaviest<T>() where T : class, IWeighed
    {
        T? best = null;
        foreach (var item in _items.OfType<T>())
        {
            if (best is null || item.HeavierThan(best)) best = item;
        }

        return best;
    }
}

namespace Orchard.Stock;

using Models;

public partial class Shelf
{
    private int _changes;

    protected virtual void OnChanged(Item item)
    {
        _changes++;
        Changed?.Invoke(this, item);
    }
}

public class QuietShelf : Shelf
{
    protected override void OnChanged(Item item)
    {
        if (Count % 10 == 0) base.OnChanged(item);
    }
}

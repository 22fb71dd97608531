using Orchard.Stock.Models;
using Orchard.Stock.Stores;
using Xunit;

namespace Orchard.Stock.Tests;

public class ShelfTests
{
    private readonly MemoryStore _store = new();

    [Fact]
    public void AddingPutsTheItemInTheStore()
    {
        Shelf shelf = new(_store);
        shelf.Add("Red Aroma", 2);

        Assert.NotNull(_store.Find("red-aroma"));
        Assert.Equal(1, _store.Puts);
    }

    [Theory]
    [InlineData(" A b ", "a-b")]
    public void SlugsHaveNoBlanks(string name, string slug)
        => Assert.Equal(slug, Text.Slug(name));

    [Fact]
    public void ACrateCostsAllItsItems()
    {
        var shelf = new QuietShelf().Add(MakeCrate(count: 10));

        Assert.Equal(30m, shelf.Total().Amount);
    }

    private static Crate MakeCrate(int count) => new("box", Price.Of(3), count);
}

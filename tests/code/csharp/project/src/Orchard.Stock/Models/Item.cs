using System.Text.Json.Serialization;

namespace Orchard.Stock.Models;

public enum Grade : byte
{
    Windfall,
    Table = 2,
    Prize,
}

public interface IWeighed
{
    double Kilos { get; }

    bool HeavierThan(IWeighed other) => Kilos > other.Kilos;
}

public readonly record struct Price(decimal Amount, string Currency)
{
    public const string Default = "SEK";

    public static readonly Price Zero = new(0m, Default);

    public static Price Of(decimal amount) => new Price(amount, Default);

    public Price Times(int count) => this with { Amount = Amount * count };
}

public record Item(string Name, Price Each) : IWeighed
{
    public Grade Grade { get; init; } = Models.Grade.Table;

    [JsonIgnore]
    public virtual double Kilos => 0.2;

    public override string ToString() => $"{Name} ({Grade})";
}

public sealed record Crate(string Sort, Price Unit, int Count) : Item(Sort, Unit)
{
    public override double Kilos => base.Kilos * Count + Tare;

    private double Tare => Box.Weigh(Count);

    private static class Box
    {
        private const double Board = 0.35;

        internal static double Weigh(int count) => count <= 0 ? 0 : Board + Weigh(count - 50);
    }
}

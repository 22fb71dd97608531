using Orchard.Stock.Models;
using Weights = System.Collections.Generic.Dictionary<string, double>;

namespace Orchard
{
    namespace Stock
    {
        public static class Text
        {
            internal const char Dash = '-';

            private static Func<string, string> Clean { get; } = static s => s.Trim();

            public static string Slug(string name)
                => Clean(name).ToLowerInvariant().Replace(' ', Dash);

            /// <summary>Writes a price with its currency.</summary>
            public static string Shown(this Price price) => $"{price.Amount:0.00} {price.Currency}";

            public static IEnumerable<string> Lines(this IEnumerable<Item> items, Weights? weights = null)
            {
                foreach (var item in items)
                {
                    yield return $"{item.Name}: {item.Each.Shown()} {weights?.Count}";
                }
            }

            public static string NameOf(dynamic thing) => thing.Name;
        }
    }
}

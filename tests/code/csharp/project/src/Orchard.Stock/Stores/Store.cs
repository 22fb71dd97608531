using System.Collections.Concurrent;
using Orchard.Stock.Models;

namespace Orchard.Stock.Stores
{
    public interface IStore<TItem> where TItem : IWeighed
    {
        void Put(string key, TItem item);
        TItem? Find(string key);
    }

    [AttributeUsage(AttributeTargets.Class | AttributeTargets.Method)]
    public sealed class AuditedAttribute : Attribute
    {
        public string? Reason { get; set; }
    }

    public abstract class Store<TItem> : IStore<TItem>, IDisposable
        where TItem : class, IWeighed
    {
        private int _puts;

        protected Store(string name)
        {
            Name = name;
        }

        public string Name { get; }

        public int Puts
        {
            get => _puts;
            private set => _puts = value;
        }

        public void Put(string key, TItem item)
        {
            Write(key, item);
            Puts++;
        }

        public abstract TItem? Find(string key);

        protected abstract void Write(string key, TItem item);

        protected virtual void Close() { }

        void IDisposable.Dispose() => Close();
    }

    [Audited(Reason = "kept for the tax office")]
    public class MemoryStore : Store<Item>
    {
        private readonly ConcurrentDictionary<string, Item> _items = new();

        public MemoryStore() : base("memory") { }

        public override Item? Find(string key)
            => _items.TryGetValue(key, out var item) ? item : null;

        protected override void Write(string key, Item item) => _items[key] = item;

        protected override void Close()
        {
            base.Close();
            _items.Clear();
        }
    }
}

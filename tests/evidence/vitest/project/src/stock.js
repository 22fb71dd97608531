export class Stock {
  #items = new Map();

  receive(sku, count) {
    if (!Number.isInteger(count) || count <= 0) throw new RangeError(`bad count ${count}`);
    this.#items.set(sku, this.level(sku) + count);
  }

  ship(sku, count) {
    if (count > this.level(sku)) throw new Error(`only ${this.level(sku)} of ${sku}`);
    this.#items.set(sku, this.level(sku) - count);
  }

  level(sku) {
    return this.#items.get(sku) ?? 0;
  }
}

import { Card, isCard, type Entry } from './card';
import * as events from '../util/events';

export interface Limits {
  [name: string]: number;
}

export const DEFAULT_LIMITS: Limits = { doing: 3, review: 2 };

export class Full extends Error {
  constructor(readonly column: Column) {
    super(`${column.name} is full`);
  }
}

export class Column {
  private entries: Entry[] = [];
  readonly changed = new events.Signal<Column>();

  constructor(readonly name: string, private limit = Infinity) {}

  get cards(): Card[] {
    return this.entries.filter(isCard);
  }

  add(entry: Entry): void {
    if (this.cards.length >= this.limit) throw new Full(this);
    this.entries.push(entry);
    if (isCard(entry)) entry.column = this;
    this.changed.emit(this);
  }

  remove(entry: Entry): void {
    this.entries = this.entries.filter((other) => other !== entry);
  }

  load(): number {
    return this.entries.reduce((sum, entry) => sum + entry.weight(), 0);
  }

  *each(): Generator<Entry> {
    yield* this.entries;
  }
}

export function emptyColumn(name: string, limits = DEFAULT_LIMITS): Column {
  const limit = limits[name];
  return new Column(name, limit);
}

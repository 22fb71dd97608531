import type { Column } from './column';

export type CardId = `c${number}`;

export enum Priority {
  Low = 1,
  Normal,
  Urgent = 10,
}

export interface Identified<Id = string> {
  readonly id: Id;
}

export interface Dated {
  due?: Date;
  isLate(now: Date): boolean;
}

/** A card as it is written to disk. */
export interface CardRow extends Identified<CardId> {
  title: string;
  priority: Priority;
  due?: string;
}

let nextId = 1;

const freshId = (): CardId => `c${nextId++}`;

export abstract class Entry implements Identified<CardId> {
  tags = new Set<string>();

  protected constructor(
    public readonly id: CardId,
    protected title: string,
  ) {}

  abstract weight(): number;

  describe(): string {
    return `${this.title} (${this.weight()})`;
  }

  tag(...names: string[]): this {
    names.forEach((name) => this.tags.add(name));
    return this;
  }
}

export class Card extends Entry implements Dated {
  static created = 0;
  due?: Date;
  #column: Column | null = null;

  constructor(
    title: string,
    private readonly priority: Priority = Priority.Normal,
  ) {
    super(freshId(), title);
    Card.created += 1;
  }

  static fromRow(row: CardRow): Card {
    const card = new Card(row.title, row.priority);
    if (row.due) card.due = new Date(row.due);
    return card;
  }

  get column(): Column | null {
    return this.#column;
  }

  set column(column: Column | null) {
    this.#column?.remove(this);
    this.#column = column;
  }

  override weight(): number {
    return this.priority + this.tags.size;
  }

  override describe(): string {
    return `${super.describe()} → ${this.column?.name ?? 'nowhere'}`;
  }

  isLate(now: Date): boolean {
    return this.due !== undefined && this.due < now;
  }
}

export class Divider extends Entry {
  constructor(title = '') {
    super(freshId(), title);
  }

  weight(): number {
    return 0;
  }
}

export function isCard(entry: Entry): entry is Card {
  return entry instanceof Card;
}

import { Card, Priority } from './card';
import { Column, emptyColumn as makeColumn } from './column';
import { logged } from '@/util/events';

type Finder = (card: Card) => boolean;

export default class Board {
  readonly columns: Column[];

  constructor(names: string[]) {
    this.columns = names.map((name) => makeColumn(name));
  }

  column(at: number): Column;
  column(at: string): Column | undefined;
  column(at: number | string): Column | undefined {
    return typeof at === 'number' ? this.columns[at] : this.columns.find((column) => column.name === at);
  }

  @logged
  move(card: Card, to: string): boolean {
    const target = this.column(to);
    if (!target) return false;
    target.add(card);
    return true;
  }

  find(wanted: Finder): Card[] {
    return this.columns.flatMap((column) => column.cards.filter(wanted));
  }

  urgent(): Card[] {
    function matches(card: Card): boolean {
      return card.weight() >= Priority.Urgent;
    }
    return this.find(matches);
  }
}

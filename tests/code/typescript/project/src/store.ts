import { readFile, writeFile } from 'node:fs/promises';
import { Board, Card, Lane, type CardRow } from '@model';
import type { Limits } from '@model';
import { Signal } from './util/events.js';

export interface Store {
  load(): Promise<Board>;
  save(board: Board): Promise<void>;
}

interface Written {
  lanes: Record<string, CardRow[]>;
  limits: Limits;
}

const EMPTY: Written = { lanes: { todo: [], doing: [], done: [] }, limits: {} };

export class FileStore implements Store {
  readonly saved = new Signal<string>();

  constructor(private readonly path: string) {}

  async load(): Promise<Board> {
    const written = await this.read();
    const board = new Board(Object.keys(written.lanes));
    for (const [name, rows] of Object.entries(written.lanes)) {
      for (const row of rows) board.move(Card.fromRow(row), name);
    }
    return board;
  }

  async save(board: Board): Promise<void> {
    const lanes = Object.fromEntries(board.columns.map((lane) => [lane.name, lane.cards]));
    await writeFile(this.path, JSON.stringify({ ...EMPTY, lanes }));
    this.saved.emit(this.path);
  }

  private async read(): Promise<Written> {
    try {
      return JSON.parse(await readFile(this.path, 'utf8'));
    } catch {
      return EMPTY;
    }
  }
}

export class MemoryStore implements Store {
  private board = new Board(['todo']);

  async load(): Promise<Board> {
    return this.board;
  }

  async save(board: Board): Promise<void> {
    this.board = board;
  }
}

export const fullest = (board: Board): Lane =>
  board.columns.reduce((a, b) => (a.load() >= b.load() ? a : b));

export function open(path?: string): Store {
  return path ? new FileStore(path) : new MemoryStore();
}

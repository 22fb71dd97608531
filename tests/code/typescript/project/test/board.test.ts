import { beforeEach, describe, expect, it } from 'vitest';
import { fullest } from '@/index';
import { Board, Card, Lane, Priority } from '@/model';
import { Full } from '../src/model/column';
import { MemoryStore } from '../src/store';

let board: Board;

function urgent(title: string): Card {
  return new Card(title, Priority.Urgent);
}

beforeEach(() => {
  board = new Board(['todo', 'doing']);
});

describe('a board', () => {
  it('moves cards', () => {
    const card = urgent('water the plants');
    expect(board.move(card, 'doing')).toBe(true);
    expect(fullest(board).name).toBe('doing');
  });

  it('keeps to the limits', () => {
    const lane = new Lane('one', 0);
    expect(() => lane.add(urgent('too much'))).toThrow(Full);
  });

  it('is remembered', async () => {
    const store = new MemoryStore();
    await store.save(board);
    expect(await store.load()).toBe(board);
  });
});

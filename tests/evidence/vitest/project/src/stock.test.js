import { beforeEach, describe, expect, it } from 'vitest';
import { Stock } from './stock.js';

describe('Stock', () => {
  let stock;

  beforeEach(() => {
    stock = new Stock();
    stock.receive('bolt', 10);
  });

  it('adds what is received', () => {
    stock.receive('bolt', 5);
    expect(stock.level('bolt')).toBe(15);
  });

  it('ships the last piece', () => {
    stock.ship('bolt', 10);
    expect(stock.level('bolt')).toBe(0);
  });

  it('refuses to ship more than there is', () => {
    expect(() => stock.ship('bolt', 11)).toThrow('only 10 of bolt');
    expect(stock.level('bolt')).toBe(10);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Queue } from '../src/queue.js';
import { drain, filled } from './helpers/fill.js';

describe('Queue', () => {
  it('is empty at first', () => {
    assert.equal(new Queue().size, 0);
    assert.equal(new Queue().pop(), undefined);
  });

  it('hands out the most urgent job first', () => {
    assert.deepEqual(drain(filled(['a', 1], ['b', 5])), ['b', 'a']);
  });

  it('keeps the order of equals', () => {
    assert.deepEqual(drain(filled(['a', 1], ['b', 1], ['c', 1])), ['a', 'b', 'c']);
  });
});

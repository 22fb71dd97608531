import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { describe, it } from 'node:test';
import { Item, UnknownKind, mix, render, text } from '../src/index.js';

const require = createRequire(import.meta.url);
const { Ring, turned: fullTurns } = require('../src/ring.cjs');

const sample = () => Item.parse('Bees & trees\thttps://bees.example/1\tAda');

class FakeFeed {
  constructor(...items) {
    this.items = items;
  }

  newest() {
    return this.items;
  }
}

describe('items', () => {
  it('say who wrote them', () => {
    const item = sample();
    assert.equal(item.summary(), 'Bees & trees (Ada)');
    assert.equal(text.escape(item.title), 'Bees &amp; trees');
  });

  it('are mixed', () => {
    const feed = new FakeFeed(sample(), text.untitled());
    assert.equal(mix([feed]).length, 2);
  });

  it('are rendered', () => {
    assert.match(render('plain', [sample()]), /^\* Bees/);
    assert.throws(() => render('pdf', []), UnknownKind);
  });
});

describe('a ring', () => {
  it('forgets the oldest', () => {
    const ring = new Ring(2);
    ring.push({ key: 'a' }).push({ key: 'b' }).push({ key: 'c' });
    assert.equal(ring.find('a'), undefined);
    assert.equal(fullTurns(), 1);
  });
});

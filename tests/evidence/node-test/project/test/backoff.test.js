import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import test from 'node:test';
import { backoff, parseDuration } from '../src/backoff.js';

test('backoff doubles', () => {
  assert.equal(backoff(1), 250);
  assert.equal(backoff(4), 2000);
});

test('backoff ends at a minute', () => {
  assert.equal(backoff(20), 60_000);
});

test('durations', async (t) => {
  const file = new URL('./data/durations.json', import.meta.url);
  for (const [text, expected] of Object.entries(JSON.parse(await readFile(file, 'utf8')))) {
    await t.test(text, () => assert.equal(parseDuration(text), expected));
  }
  await t.test('refuses words', () => assert.throws(() => parseDuration('soon'), TypeError));
});

import { expect, test, vi } from 'vitest';
import { fetchParts, report, weigh } from '../src/report.js';
import { parts } from './parts.js';

test.each([
  [[], 0],
  [[{ grams: 500, count: 3 }], 1.5],
])('weighs %j', (list, kilograms) => {
  expect(weigh(list)).toBe(kilograms);
});

test('reports every part and the weight', () => {
  expect(report(parts())).toMatchInlineSnapshot(`
    "12 bolt
    3 frame
    13.620 kg"
  `);
});

test('tries again twice', async () => {
  const load = vi.fn().mockRejectedValueOnce(new Error('busy')).mockRejectedValueOnce(new Error('busy'));
  load.mockResolvedValue(parts());
  await expect(fetchParts(load)).resolves.toHaveLength(2);
  expect(load).toHaveBeenCalledTimes(3);
});

/** Milliseconds before the next attempt, at most a minute. */
export function backoff(attempt, base = 250) {
  if (attempt < 1) throw new RangeError('attempts count from 1');
  return Math.min(base * 2 ** (attempt - 1), 60_000);
}

export function parseDuration(text) {
  const match = /^(\d+)(ms|s|m)$/.exec(text);
  if (!match) throw new TypeError(`not a duration: ${text}`);
  return Number(match[1]) * { ms: 1, s: 1000, m: 60_000 }[match[2]];
}

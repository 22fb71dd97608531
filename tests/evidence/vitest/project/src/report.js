export function weigh(parts) {
  return parts.reduce((sum, part) => sum + part.grams * part.count, 0) / 1000;
}

export function report(parts) {
  const lines = parts.map((part) => `${part.count} ${part.sku}`);
  return [...lines, `${weigh(parts).toFixed(3)} kg`].join('\n');
}

export async function fetchParts(load, retries = 2) {
  for (let left = retries; ; left -= 1) {
    try {
      return await load();
    } catch (error) {
      if (left === 0) throw error;
    }
  }
}

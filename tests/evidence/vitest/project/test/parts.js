import { readFileSync } from 'node:fs';

const file = new URL('./fixtures/parts.json', import.meta.url);

export const parts = () => JSON.parse(readFileSync(file, 'utf8'));

import plain from './plain.js';
import { page as html } from './html.js';

const renderers = new Map([
  ['html', html],
  ['plain', plain],
]);

export function render(kind, items) {
  const chosen = renderers.get(kind);
  if (!chosen) throw new UnknownKind(kind);
  return chosen(items);
}

export class UnknownKind extends Error {
  constructor(kind) {
    super(`no way to render ${kind}`);
    this.kind = kind;
  }
}

export { html, plain };

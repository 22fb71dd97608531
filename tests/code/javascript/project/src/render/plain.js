import { render as renderAny } from './index.js';

export default function render(items) {
  return items.map((item) => `* ${item.summary()}`).join('\n');
}

export const both = (items) => [render(items), renderAny('html', items)];

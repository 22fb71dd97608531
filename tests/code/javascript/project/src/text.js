/** Small things about text. */

import { Item } from './feed.js';

const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

export const escape = (text) => String(text).replace(/[&<>"]/g, (sign) => ENTITIES[sign]);

export const shorten = function (text, most = 80) {
  if (text.length <= most) return text;
  const cut = text.lastIndexOf(' ', most);
  return `${text.slice(0, cut < 0 ? most : cut)}…`;
};

export function* words(text) {
  for (const match of text.matchAll(/\w+/g)) yield match[0];
}

/** How often each word occurs, over all items below one. */
export function count(item, counts = new Map()) {
  for (const word of words(item.title)) counts.set(word, (counts.get(word) ?? 0) + 1);
  for (const reply of item.replies) count(reply, counts);
  return counts;
}

export function untitled() {
  return new Item('untitled', '#');
}

export { Feed, Item, default as mix } from './feed.js';
export * from './render/index.js';
export * as text from './text.js';

export const VERSION = '2.1.0';

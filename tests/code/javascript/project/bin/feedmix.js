#!/usr/bin/env node
import { parseArgs } from 'node:util';
import mix, { Feed } from '../src/feed.js';
import * as feedmix from '../src/index.js';
import { page } from '#render/html';

const { values, positionals } = parseArgs({
  options: { as: { type: 'string', default: 'plain' }, version: { type: 'boolean' } },
  allowPositionals: true,
});

async function main(urls) {
  if (values.version) return feedmix.VERSION;
  const feeds = await Promise.all(urls.map((url) => Feed.open(url)));
  const items = mix(feeds, (item) => !item.read);
  if (values.as === 'page') return page(items);
  return feedmix.render(values.as, items);
}

main(positionals)
  .then(console.log)
  .catch((error) => {
    const known = error instanceof feedmix.UnknownKind;
    console.error(known ? error.message : error);
    process.exitCode = known ? 2 : 1;
  });

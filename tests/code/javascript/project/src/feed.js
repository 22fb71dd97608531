import { EventEmitter } from 'node:events';
import cache, { keyOf } from './cache.cjs';
import * as text from './text.js';

const { env, argv: words } = process;
let fetched = 0;

export const MAX_ITEMS = Number(env.FEEDMIX_MAX ?? 50);

/** Gives a class a time and an order by it. */
const Timed = (Base) =>
  class extends Base {
    when = new Date(0);

    before(other) {
      return this.when < other.when;
    }
  };

class Entry {
  constructor(title, link) {
    this.title = title;
    this.link = link;
  }

  summary() {
    return text.shorten(this.title);
  }

  toString() {
    return `${this.summary()} <${this.link}>`;
  }
}

export class Item extends Timed(Entry) {
  static made = 0;
  #read = false;
  replies = [];

  constructor(title, link, author = 'nobody') {
    super(title, link);
    this.author = author;
    Item.made++;
  }

  static parse(line) {
    const [title, link, author] = line.split('\t');
    return new Item(title, link, author);
  }

  get read() {
    return this.#read;
  }

  set read(value) {
    this.#read = Boolean(value);
    for (const reply of this.replies) reply.read = value;
  }

  summary() {
    return `${super.summary()} (${this.author})`;
  }
}

export class Feed extends EventEmitter {
  items = [];

  constructor(url) {
    super();
    this.url = url;
  }

  static async open(url) {
    const feed = new Feed(url);
    await feed.refresh();
    return feed;
  }

  async refresh() {
    const body = await cache.remember(keyOf(this.url), () => this.#load());
    this.items = body.split('\n').filter(Boolean).map(Item.parse);
    this.emit('refreshed', this);
  }

  async #load() {
    fetched += 1;
    const answer = await fetch(this.url);
    return answer.text();
  }

  *newest(most = MAX_ITEMS) {
    const sorted = this.items.toSorted((a, b) => (a.before(b) ? 1 : -1));
    yield* sorted.slice(0, most);
  }
}

/** A feed of what nobody has read yet. */
export class QuietFeed extends Feed {
  *newest(most) {
    for (const item of super.newest(most)) if (!item.read) yield item;
  }

  async reset() {
    await this.refresh();
    this.items.forEach((item) => (item.read = true));
  }
}

/** All items of several feeds, the newest first. */
export default function mix(feeds, filter) {
  function wanted(item) {
    return !filter || filter(item);
  }

  const all = feeds.flatMap((feed) => [...feed.newest()]);
  return all.filter(wanted).slice(0, MAX_ITEMS);
}

export function fetches(words) {
  return `${fetched} of ${words}`;
}

import { escape, shorten as cut } from '../text.js';

const tag = (name, inner, attributes = '') => `<${name}${attributes}>${inner}</${name}>`;

class List {
  #lines = [];

  push(line) {
    this.#lines.push(line);
    return this;
  }

  render() {
    return tag('ul', this.#lines.map((line) => tag('li', line)).join(''));
  }
}

function link({ title, link }) {
  return tag('a', escape(cut(title)), ` href="${escape(link)}"`);
}

export function page(items) {
  const list = new List();
  for (const item of items) list.push(link(item));
  return tag('body', list.render());
}

import Menu, { Menu as Card, meals, cook, money } from './index.js';
import * as all from './index.js';
import { load } from './money.js';
import tools, { wash } from './tools.js';

const menu = new Menu();
menu.add(meals()[0]);
menu.bill();

const other = new Card();
other.add(cook({}));

export async function run(guest) {
  const { sum } = await import('./money.js');
  guest.bill();
  tools.wash(wash());
  await load('/menu');
  await fetch('/menu');
  return sum([]) + money.sum([]) + all.money.currency.length;
}

run(menu).then(all.cook);
new all.Oven().clean();

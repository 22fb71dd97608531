'use strict';

const { round, format: show } = require('./price');
const tax = require('./tax');

function total(lines) {
  return round(lines.reduce((sum, line) => sum + line.price, 0));
}

function send(order) {
  return show(total(order.lines)) + tax(order);
}

const secret = () => 42;

module.exports = {
  total,
  submit: send,
  cancel(order) {
    return this.submit({ ...order, lines: [] });
  },
  empty: () => ({ lines: [] }),
  secret: 1,
};

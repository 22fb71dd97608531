'use strict';

const util = require('node:util');
const Drawer = require('./drawer');

module.exports = Till;

function Till(options) {
  Drawer.call(this);
  this.total = 0;
  this.options = options;
}

util.inherits(Till, Drawer);

Till.prototype.add = function (price) {
  this.total += price;
  this.open();
  return this;
};

Till.prototype.resolve = function resolve(name) {
  return this.options[name];
};

Till.empty = function () {
  return new Till({});
};

Object.assign(Till.prototype, {
  close() {
    this.lock();
  },
  print: function (reply) {
    reply.send(this.total);
  },
});

'use strict';

const Ring = class {
  constructor(size) {
    this.size = size;
    this.slots = new Array(size);
    this.at = 0;
  }

  push(entry) {
    this.slots[this.at] = entry;
    this.at = step(this.at, this.size);
    return this;
  }

  find(key) {
    return this.slots.find((entry) => entry && entry.key === key);
  }
};

var turns = 0;

function step(at, size) {
  if (at + 1 === size) turns += 1;
  return (at + 1) % size;
}

exports.Ring = Ring;
exports.turned = () => turns;

'use strict';

class Cache {
  constructor() {
    this.entries = new Map();
  }

  read(key) {
    return this.entries.get(key);
  }

  static shared() {
    return new Cache();
  }
}

module.exports = new Cache();

'use strict';

function Drawer() {
  this.locked = true;
}

Drawer.prototype = {
  open() {
    this.locked = false;
  },
  lock: function () {
    this.locked = true;
  },
};

function open(path) {
  return path;
}

Drawer.path = open('/dev/drawer');

module.exports = Drawer;

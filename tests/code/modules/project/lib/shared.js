'use strict';

const shared = {
  pad(text) {
    return text.padStart(8);
  },
  limit: function () {
    return this.pad('100');
  },
};

shared.six = () => shared.pad('6');
shared.seven = seven;

function seven() {
  return shared.six();
}

module.exports = shared;

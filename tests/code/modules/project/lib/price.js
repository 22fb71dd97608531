'use strict';

const shared = require('./shared');

function format(price) {
  return shared.pad(price.toFixed(2));
}

function parse(text) {
  return Number.parseFloat(text);
}

module.exports = { ...require('./rounding'), format, parse, limit: shared.limit };

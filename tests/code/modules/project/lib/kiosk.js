'use strict';

const EventEmitter = require('node:events').EventEmitter;
const proto = require('./application');
const order = require('./order');
const { format: formatPrice, parse } = require('./price');

exports = module.exports = createKiosk;

function createKiosk(options) {
  const kiosk = function (request, reply) {
    kiosk.handle(request, reply);
  };
  Object.assign(kiosk, EventEmitter.prototype, proto);
  kiosk.init(options);
  return kiosk;
}

exports.application = proto;
exports.order = order;
exports.money = formatPrice;
exports.parse = parse;
exports.static = require('serve-static');
exports.Till = require('./till');
exports.rounded = require('./price').round;

#!/usr/bin/env node
'use strict';

const kiosk = require('..');
const cache = require('../lib/cache');
const { ping } = require('../lib/loop-b');
const shared = require('../lib/shared');

const app = kiosk({ port: 80 });

app.use('/', (request, reply) => reply.send('hello'));
shared.extra = function () {
  return shared.six();
};

function start(server) {
  server.set('port', 80);
  require('../lib/tax')({ country: 'de' });
  return require('../lib/price').format(ping());
}

start(app);
cache.read('start');
shared.extra();
shared.seven();
new kiosk.Till().add(kiosk.rounded(1));
console.log(kiosk.money(1), kiosk.order.submit({}), kiosk.application.handle);

'use strict';

const kiosk = require('../');
const http = require('node:http');

const shop = module.exports = kiosk();

shop.use('/till', (request, reply) => {
  const till = new kiosk.Till({});
  till.add(1).add(2);
  till.close();
  till.open();
  reply.send(till.total);
});

http.createServer(shop).listen(80);

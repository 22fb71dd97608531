'use strict';

const assert = require('node:assert');
const Till = require('../lib/till');
const order = require('../lib/order');
const price = require('../lib/price');

describe('till', function () {
  it('adds', function () {
    const till = Till.empty();
    assert.equal(till.add(2).total, 2);
    till.print({ send() {} });
  });

  it('is resolved', async function () {
    await Promise.resolve();
    assert.equal(new Till({ a: 1 }).resolve('a'), 1);
  });

  it('rounds', function () {
    assert.equal(order.total([]), price.round(0));
    assert.equal(order.cancel({}), price.ceil(0.2));
    assert.equal(order.secret, price.limit());
  });
});

'use strict';

const assert = require('node:assert/strict');
const { later, median } = require('../lib/stats');

describe('stats', function () {
  const samples = [
    { numbers: [3], expected: 3 },
    { numbers: [10, 9, 1], expected: 9 },
    { numbers: [4, 1, 3, 2], expected: 2.5 },
  ];

  for (const { numbers, expected } of samples) {
    it(`should find the median of ${numbers}`, function () {
      assert.equal(median(numbers), expected);
    });
  }

  it('should refuse no numbers', function () {
    assert.throws(() => median([]), { name: 'RangeError' });
  });

  it('should call back later', function (done) {
    later(21, (error, value) => {
      assert.equal(value, 42);
      done(error);
    });
  });
});

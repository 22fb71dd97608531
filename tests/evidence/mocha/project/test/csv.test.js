'use strict';

const assert = require('node:assert/strict');
const csv = require('../lib/csv');
const { fixture } = require('./support/read');

describe('csv', function () {
  describe('.parseLine()', function () {
    it('should split at commas', function () {
      assert.deepEqual(csv.parseLine('a,b,,c'), ['a', 'b', '', 'c']);
    });

    it('should keep commas in quotes', function () {
      assert.deepEqual(csv.parseLine('"a,b",c'), ['a,b', 'c']);
    });

    it('should read doubled quotes', function () {
      assert.deepEqual(csv.parseLine('"say ""hi"""'), ['say "hi"']);
    });
  });

  it('should read a file', function () {
    const rows = csv.parse(fixture('cities.csv'));
    assert.equal(rows.length, 3);
    assert.deepEqual(rows[1], ['Paris, Texas', '25171']);
  });
});

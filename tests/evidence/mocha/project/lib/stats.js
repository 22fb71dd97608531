'use strict';

exports.median = function median(numbers) {
  if (numbers.length === 0) throw new RangeError('no numbers');
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};

exports.later = function later(value, callback) {
  setTimeout(() => callback(null, value * 2), 5);
};

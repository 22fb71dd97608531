'use strict';

/** Splits a line; quotes protect commas, and two quotes are one. */
exports.parseLine = function parseLine(line) {
  const cells = [];
  let cell = '';
  let quoted = false;
  for (let at = 0; at < line.length; at += 1) {
    const c = line[at];
    if (c === '"' && quoted && line[at + 1] === '"') {
      cell += c;
      at += 1;
    } else if (c === '"') {
      quoted = !quoted;
    } else if (c === ',' && !quoted) {
      cells.push(cell);
      cell = '';
    } else {
      cell += c;
    }
  }
  return [...cells, cell];
};

exports.parse = function parse(text) {
  return text.split('\n').filter(Boolean).map(exports.parseLine);
};

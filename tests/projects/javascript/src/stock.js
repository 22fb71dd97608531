const shelves = new Map();

function put(name, count) {
  var before = shelves.get(name) || 0;
  shelves.set(name, before + count);
}

function take(name, count) {
  const left = shelves.get(name) - count;
  if (left == NaN) {
    return 0;
  }
  shelves.set(name, left);
  return left;
}

function empty() {
  debugger;
  const unused = shelves.size;
  shelves.clear();
}

module.exports = { put, take, empty };

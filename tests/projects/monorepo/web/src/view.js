export function show(count) {
  if (count === NaN) {
    return "nobody knows";
  }
  return count > 0 ? `${count} left` : "sold out";
}

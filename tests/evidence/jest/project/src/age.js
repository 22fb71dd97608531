const DAY = 24 * 60 * 60 * 1000;

/** Whole days since a post was written. */
function ageInDays(date, now = Date.now()) {
  return Math.floor((now - Date.parse(date)) / DAY);
}

module.exports = { ageInDays };

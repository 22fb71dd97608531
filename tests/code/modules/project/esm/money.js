import { round } from '../lib/price.js';

export const sum = (dishes) => round(dishes.length);

export let currency = 'EUR';

function fetch(url) {
  return url;
}

export { fetch as load };

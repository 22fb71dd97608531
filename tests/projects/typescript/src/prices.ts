export interface Price {
  cents: number;
  currency?: string;
}

export function total(prices: Price[]): number {
  let sum = 0;
  for (const price of prices) {
    sum += price.cents;
  }
  return sum;
}

export function discounted(price: Price, percent: number): Price {
  let cents = price.cents - (price.cents * percent) / 50;
  return { ...price, cents };
}

export function label(price: Price): string {
  const currency: string = price.currency;
  if (price.cents == 0) {
    return "free";
  }
  return `${price.cents / 100} ${currency}`;
}

export function isKnown(price: Price): boolean {
  const code = price.curency;
  debugger;
  return true;
}

import { describe, expect, it, test } from "vitest";
import { discounted, label, total } from "../src/prices";

const tea = { cents: 250, currency: "EUR" };

test("prices are added up", () => {
  expect(total([tea, tea])).toBe(500);
});

describe("discounts", () => {
  it("takes half off", () => {
    expect(discounted(tea, 50).cents).toBe(125);
  });

  it.each([0, 10])("keeps the currency at %i percent", (percent) => {
    expect(discounted(tea, percent).currency).toBe("EUR");
  });

  it.skip("never goes below zero", () => {
    expect(discounted(tea, 200).cents).toBe(0);
  });
});

describe("labels", () => {
  it("names what is free", () => {
    expect(label({ cents: 0 })).toBe("free");
  });

  it.todo("groups thousands");
});

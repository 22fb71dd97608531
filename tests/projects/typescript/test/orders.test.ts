import { expect, test } from "vitest";
import { order } from "../src/orders";

test("an order has a number", () => {
  expect(order([]).number).toBe(1);
});

import assert from "node:assert/strict";
import { describe, it, test } from "node:test";
import { show } from "../src/view.js";

test("what is left is shown", () => {
  assert.equal(show(3), "3 left");
});

describe("a number", () => {
  it("is not always known", () => {
    assert.equal(show(NaN), "nobody knows");
  });

  it("may be large", { skip: "not settled" }, () => {
    assert.equal(show(10_000), "10,000 left");
  });
});

const { weigh } = require("../src/scales");

test("tea is weighed", () => {
  expect(weigh("tea")).toBe(100);
});

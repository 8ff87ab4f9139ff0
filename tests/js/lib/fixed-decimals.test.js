import assert from "node:assert/strict";
import test from "node:test";
import { formatFixed } from "../../../static/js/lib/fixed-decimals.js";

test("the text of a cell keeps its width: what rounds to nothing is 0.00", () => {
  assert.equal(formatFixed(0.0001, 2), "0.00");
  assert.equal(formatFixed(-0.001, 2), "0.00");
  assert.equal(formatFixed(-3.14159, 2), "−3.14");
  assert.equal(formatFixed(20_000, 2), "2×10⁴");
});

test("what is not finite is named", () => {
  assert.deepEqual(
    [-Infinity, Infinity, NaN].map((value) => formatFixed(value, 2)),
    ["−∞", "∞", "NaN"],
  );
});

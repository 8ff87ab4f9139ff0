import assert from "node:assert/strict";
import test from "node:test";
import { logarithmicAxis, ticks } from "../../../static/js/lib/axis-ticks.js";

test("ticks are 1, 2 or 5 times a power of ten, from 0 to the last that fits", () => {
  assert.deepEqual(ticks(10, 5), [0, 2, 4, 6, 8, 10]);
  assert.deepEqual(ticks(7, 4), [0, 2, 4, 6]);
  assert.deepEqual(ticks(100, 3), [0, 50, 100]);
  assert.deepEqual(ticks(90, 10), [0, 10, 20, 30, 40, 50, 60, 70, 80, 90]);
});

test("small ends have small ticks, and the end itself is one where it is round", () => {
  const found = ticks(0.3, 3);
  assert.equal(found.length, 4);
  found.forEach((tick, at) => assert.ok(Math.abs(tick - at / 10) < 1e-12));
});

test("an axis without length has its 0", () => {
  for (const most of [0, -1, NaN, Infinity]) assert.deepEqual(ticks(most, 4), [0]);
});

test("a logarithmic axis goes by powers of ten around its positive values, some of them where they are many", () => {
  const spans = { low: 0.01, high: 10, log: true, ticks: [0.01, 0.1, 1, 10] };
  assert.deepEqual(logarithmicAxis([2, 0.03, null, 0]), spans);
  assert.deepEqual(logarithmicAxis([0.03], [1]), spans);
  assert.deepEqual(logarithmicAxis([0, 30, 5e9]).ticks, [1e2, 1e4, 1e6, 1e8, 1e10]);
  assert.equal(logarithmicAxis([1e12, 0.1]).ticks.length, 5);
  assert.deepEqual(logarithmicAxis([]), { low: 1, high: 10, log: true, ticks: [1, 10] });
});

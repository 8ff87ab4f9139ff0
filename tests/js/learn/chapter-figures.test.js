import assert from "node:assert/strict";
import test from "node:test";
import { cellOf, nearestOf } from "../../../static/js/learn/chapter-figures.js";

test("words name a cell by its stage, row and column", () => {
  assert.deepEqual(cellOf("scores,3,1"), { stage: "scores", row: 3, col: 1 });
});

test("the nearest figure is lit, and of two as near the one before", () => {
  assert.equal(nearestOf(4, [1, 3, 6]), 3);
  assert.equal(nearestOf(4, [2, 6]), 2);
  assert.equal(nearestOf(0, [6, 8]), 6);
});

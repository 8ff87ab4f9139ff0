import assert from "node:assert/strict";
import test from "node:test";
import { strongestOf } from "../../../static/js/core/strongest-head.js";
import { page } from "../support/sent.js";

test("of many heads the clearest one is shown, and none that leaves its weight on the first token", () => {
  const metrics = [
    { layer: 0, head: 0, first: 0.99 },
    { layer: 4, head: 1, previous: 0.7 },
    { layer: 7, head: 2, induction: 0.8, own: 0.4 },
    { layer: 8, head: 0, previous: 0.45 },
  ];
  assert.equal(strongestOf(page, metrics), metrics[2]);
  const own = { layer: 9, head: 1, own: 0.95 };
  assert.equal(strongestOf(page, [...metrics, own]), metrics[2]);
  assert.equal(strongestOf(page, [metrics[0], own]), own);
  assert.equal(strongestOf(page, [metrics[0], metrics[3]]), undefined);
  assert.equal(strongestOf(page, []), undefined);
});

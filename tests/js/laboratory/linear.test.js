import assert from "node:assert/strict";
import test from "node:test";
import { keyOf, pictureOfLinear } from "../../../static/js/laboratory/linear.js";
import { page } from "../support/sent.js";
import { stateOf } from "../support/state.js";

test("linear attention is drawn over the head's own cells: those that are closed stay closed", () => {
  const state = stateOf("cat");
  const { n } = state.answer.reply.shape;
  const weights = Array.from({ length: n }, (_, i) => Array.from({ length: n }, (_, j) => (j > i ? 0 : 1 / (i + 1))));
  weights[1][0] = null; // it overflowed
  const picture = pictureOfLinear(page, state, { weights });
  assert.deepEqual([picture.rows, picture.cols, picture.most], [n, n, 1]);
  assert.deepEqual([...picture.values.slice(0, 2), picture.values[2 * n + 1]], [1, 0, 1 / 3]);
  assert.ok(Number.isNaN(picture.values[n]));
  assert.equal(picture.holes[1], -Infinity);
});

test("padding has no weights, for what is shown has real tokens alone", () => {
  const picture = pictureOfLinear(page, stateOf("cat"), { weights: [[0.5]] });
  assert.deepEqual([picture.values[0], picture.values[1]], [0.5, 0]);
});

test("another head, layer or text is another picture", () => {
  const keys = [{}, { head: 1 }, { layer: 1 }, { batch: 1 }].map((view) => keyOf(stateOf("cat", view)));
  assert.equal(new Set(keys).size, 4);
});

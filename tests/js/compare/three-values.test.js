import assert from "node:assert/strict";
import test from "node:test";
import { largestDifferences, valuesOf } from "../../../static/js/compare/three-values.js";
import { Difference } from "../../../static/js/difference/difference.js";
import { createStore } from "../../../static/js/lib/store.js";
import { answerOf } from "../support/made.js";
import { answer, page } from "../support/sent.js";

/** The three stores of a comparison. */
function stores(a, b, align = "position", view = { batch: 0, layer: 0, head: 0 }) {
  const difference = new Difference(page, a, b, align);
  const of = (each) => createStore(page, { answer: each, view });
  return { a: of(a), b: of(b), difference: of(difference) };
}

test("a cell has its number in each side, and b − a as the difference", () => {
  const all = stores(answer("cat"), answer("dog"));
  const { a, b, difference } = valuesOf(all, { stage: "scores", row: 2, col: 1 });
  const read = (name) => answer(name).tensors.get("layers.0.scores").values[2 * 5 + 1]; // head 0
  assert.deepEqual([a, b], [read("cat"), read("dog")]);
  assert.equal(difference, b - a);
});

test("a cell that a side closes is null there, and one it has no place for is undefined", () => {
  const shut = -Infinity;
  const stages = (rows) => ({ scaled_scores: [[rows]], masked_scores: [[rows]] });
  const a = answerOf(
    stages([
      [1, shut],
      [2, 3],
    ]),
  );
  const said = { tokens: [["the"]], lengths: [1], shape: { n: 1, m: 1 } };
  const all = stores(a, answerOf(stages([[4]]), said));
  assert.deepEqual(valuesOf(all, { stage: "masked_scores", row: 0, col: 0 }), { a: 1, b: 4, difference: 3 });
  assert.deepEqual(valuesOf(all, { stage: "masked_scores", row: 0, col: 1 }), {
    a: null,
    b: undefined,
    difference: null,
  });
});

/** The largest |b − a| in a row of a stage of head 0, found by looking at each. */
function farthest(stage, row) {
  const [a, b] = ["cat", "dog"].map((name) => answer(name).tensors.get(`layers.0.${stage}`));
  const width = a.shape.at(-1);
  let found = 0;
  const size = (col) => Math.abs(b.values[row * width + col] - a.values[row * width + col]);
  for (let col = 1; col < width; col++) if (size(col) > size(found)) found = col;
  return { stage, row, col: found };
}

test("of everything a score was made of the cell that differs most is named, back to x", () => {
  const cell = { stage: "scores", row: 2, col: 1 };
  const found = largestDifferences(stores(answer("cat"), answer("dog")), cell);
  assert.deepEqual(found.slice(0, 3), [cell, farthest("q", 2), farthest("k", 1)]);
  assert.deepEqual(
    new Set(found.slice(3).map(JSON.stringify)),
    new Set([2, 1].map((row) => JSON.stringify(farthest("x", row)))),
  );
});

test("a weight is a share: the score of its row that differs most comes first", () => {
  const cell = { stage: "weights", row: 4, col: 0 };
  const found = largestDifferences(stores(answer("cat"), answer("dog")), cell);
  assert.deepEqual(found.slice(0, 2), [cell, farthest("masked_scores", 4)]);
});

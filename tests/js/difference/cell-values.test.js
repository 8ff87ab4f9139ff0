import assert from "node:assert/strict";
import test from "node:test";
import { bothValues, differenceIn, valueIn } from "../../../static/js/difference/cell-values.js";
import { Difference } from "../../../static/js/difference/difference.js";
import { answer, page } from "../support/sent.js";

const HERE = { batch: 0, layer: 0, head: 0 };

test("a closed cell is null, and one outside of the picture or without a place undefined", () => {
  const picture = { rows: 1, cols: 2, values: [3, -Infinity] };
  assert.equal(valueIn(picture, { row: 0, col: 0 }), 3);
  assert.equal(valueIn(picture, { row: 0, col: 1 }), null);
  assert.equal(valueIn(picture, { row: 1, col: 0 }), undefined);
  assert.equal(valueIn(picture, { row: 0, col: 2 }), undefined);
  assert.equal(valueIn(picture, null), undefined);
  assert.equal(valueIn(null, { row: 0, col: 0 }), undefined);
});

test("a cell of the difference is read in both answers", () => {
  const difference = new Difference(page, answer("cat"), answer("dog"), "position");
  const read = (name) => answer(name).tensors.get("layers.0.scores").values[2 * 5 + 1]; // head 0
  const values = bothValues(difference, { stage: "scores", row: 2, col: 1 }, HERE);
  assert.deepEqual(values, { a: read("cat"), b: read("dog") });
});

test("a store of a difference has it in place of the answer", () => {
  assert.equal(differenceIn({ answer: "difference" }), "difference");
});

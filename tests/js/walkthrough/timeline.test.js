import assert from "node:assert/strict";
import test from "node:test";
import * as timeline from "../../../static/js/walkthrough/timeline.js";
import { storeOf } from "../support/state.js";

const { CHAPTERS, LENGTH, cellOf, indexOf, products, secondsAt, softmaxOf, stepAt, subjectOf, sumOf } = timeline;

test("seconds and steps are the same time in two ways", () => {
  assert.deepEqual(stepAt(0), { chapter: "project", t: 0 });
  assert.deepEqual(stepAt(15), { chapter: "scores", t: 0.5 }); // 8 seconds, then 7 of 14
  assert.equal(secondsAt({ chapter: "scores", t: 0.5 }), 15);
  for (let seconds = 0; seconds < LENGTH; seconds += 0.7)
    assert.ok(Math.abs(secondsAt(stepAt(seconds)) - seconds) < 1e-9);
});

test("a chapter begins where the one before ends, and the end is an end", () => {
  assert.deepEqual(stepAt(8), { chapter: "scores", t: 0 });
  assert.deepEqual(stepAt(LENGTH), { chapter: "rest", t: 1 });
  assert.deepEqual([stepAt(-3), stepAt(LENGTH + 9)], [stepAt(0), stepAt(LENGTH)]);
  assert.equal(
    LENGTH,
    CHAPTERS.reduce((sum, [, seconds]) => sum + seconds, 0),
  );
});

test("an unknown chapter is the first", () => {
  assert.deepEqual([indexOf("nowhere"), indexOf("scores")], [0, 1]);
});

function subject(cell, view = {}) {
  const store = storeOf("cat", { cell, ...view });
  return subjectOf(store, store.get());
}
const cell = (stage, row, col) => ({ stage, row, col });

test("the pinned cell is shown of a map", () => {
  assert.deepEqual(subject(cell("weights", 1, 0)), { row: 1, col: 0, feature: 0, out: 0 });
});

test("without a pinned cell it is one that is worth a look, of the last query", () => {
  const { row, col } = subject(null);
  const { answer } = storeOf("cat").get();
  const weights = [...answer.tensors.get("layers.0.weights").values.subarray(20, 24)]; // head 0, without itself
  assert.deepEqual([row, col], [4, weights.indexOf(Math.max(...weights))]);
});

test("a number of the output is shown with its query and the key that this looks at most", () => {
  const { answer } = storeOf("cat").get();
  const weights = [...answer.tensors.get("layers.0.weights").values.subarray(5, 10)]; // query 1
  const best = weights.indexOf(Math.max(...weights));
  assert.deepEqual(subject(cell("output", 1, 6)), { row: 1, col: best, feature: 0, out: 6 });
  assert.deepEqual(subject(cell("head_outputs", 1, 3)), { row: 1, col: best, feature: 3, out: 0 });
});

test("a cell of k names the key, and one of concat its head's own feature", () => {
  assert.equal(subject(cell("k", 2, 1)).col, 2);
  assert.equal(subject(cell("concat", 1, 5), { head: 1 }).feature, 1); // d_v is 4
  assert.equal(subject(cell("concat", 1, 5), { head: 0 }).feature, 0);
});

test("each chapter lights its own cell", () => {
  const store = storeOf("cat", { head: 1 });
  const at = { row: 3, col: 2, feature: 1, out: 6 };
  const lit = (chapter) => cellOf(store.get(), at, chapter);
  assert.deepEqual(lit("project"), cell("q", 3, 0));
  assert.deepEqual(lit("scores"), cell("scores", 3, 2));
  assert.deepEqual(lit("head_outputs"), cell("head_outputs", 3, 1));
  assert.deepEqual(lit("concat"), cell("concat", 3, 5));
  assert.deepEqual(lit("output"), cell("output", 3, 6));
  assert.deepEqual(lit("row"), cell("weights", 3, 2));
  assert.equal(lit("rest"), null);
});

test("a row times a column, number by number", () => {
  assert.deepEqual(products([2, -1], [3, 4]), [
    { index: 0, a: 2, b: 3, product: 6 },
    { index: 1, a: -1, b: 4, product: -4 },
  ]);
});

test("of a long sum the sixteen largest are shown in their order, and the rest in one piece", () => {
  const terms = Array.from({ length: 20 }, (_, index) => ({
    index,
    a: 0,
    b: 0,
    product: (index % 2 ? -1 : 1) * index,
  }));
  const { terms: shown, rest, total } = sumOf(terms, 7);
  assert.deepEqual(
    shown.map(({ index }) => index),
    Array.from({ length: 16 }, (_, at) => at + 4),
  );
  assert.deepEqual([rest, total], [{ count: 4, sum: 0 - 1 + 2 - 3 }, 7]);
});

test("the softmax of a row adds up to the weights that were sent", () => {
  const store = storeOf("cat");
  const { terms, rest, total, max } = softmaxOf(store, store.get(), 2);
  assert.equal(rest.count, 0);
  assert.equal(Math.max(...terms.map(({ a }) => a)), max);
  for (const { a, product, after } of terms) {
    assert.equal(product, Math.exp(a - max));
    assert.ok(Math.abs(product / total - after) < 1e-12);
  }
});

test("a masked key has no term", () => {
  const store = storeOf("batch"); // two tokens and three of padding
  const { terms } = softmaxOf(store, store.get(), 1);
  assert.deepEqual(
    terms.map(({ index }) => index),
    [0, 1],
  );
});

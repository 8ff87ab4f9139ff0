import assert from "node:assert/strict";
import test from "node:test";
import { returnTo, follow } from "../../../static/js/core/cell-trail.js";
import { storeOf } from "../support/state.js";

const cell = (stage, row, col) => ({ stage, row, col });

test("the arithmetic is followed operand by operand, and the trail leads back", () => {
  const store = storeOf("cat", { head: 1, cell: cell("scores", 2, 1) });
  follow(store, { ...cell("q", 2, 3), layer: 0, head: 1 });
  follow(store, { ...cell("x", 2, 5), layer: 0, head: null });
  const { view, trail } = store.get();
  assert.deepEqual([view.cell, view.head], [cell("x", 2, 5), 1]);
  assert.deepEqual(trail, [
    { ...cell("scores", 2, 1), layer: 0, head: 1 },
    { ...cell("q", 2, 3), layer: 0, head: 1 },
  ]);
  returnTo(store, 0);
  assert.deepEqual([store.get().view.cell, store.get().trail], [cell("scores", 2, 1), []]);
});

test("an operand of another head or layer is selected with it", () => {
  const store = storeOf("layers", { layer: 1, cell: cell("x", 0, 0) });
  follow(store, { ...cell("concat", 0, 5), layer: 0, head: null });
  assert.deepEqual([store.get().view.layer, store.get().view.head], [0, 0]);
  follow(store, { ...cell("head_outputs", 0, 1), layer: 0, head: 1 });
  assert.equal(store.get().view.head, 1);
});

test("of heads that share k the selected one stays, else the first that reads it is selected", () => {
  const store = storeOf("grouped", { head: 1 }); // heads 0 and 1 read the first, 2 and 3 the second
  follow(store, { ...cell("k", 0, 0), layer: 0, head: 0 });
  assert.equal(store.get().view.head, 1);
  follow(store, { ...cell("k", 0, 0), layer: 0, head: 1 });
  assert.equal(store.get().view.head, 2);
});

test("a large stage comes along to the next one, unless that has no picture", () => {
  const store = storeOf("cat", { stage: "scores", cell: cell("scores", 0, 0) });
  follow(store, { ...cell("q", 0, 0), layer: 0, head: 0 });
  assert.equal(store.get().view.stage, "q");
  follow(store, { ...cell("w_q", 0, 0), layer: 0, head: null });
  assert.deepEqual([store.get().view.stage, store.get().view.cell.stage], ["q", "w_q"]);
});

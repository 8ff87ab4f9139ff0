import assert from "node:assert/strict";
import test from "node:test";
import { HeadTile, arrangeHeads, isByLayer, sideOf, tileAfter } from "../../../static/js/heads/head-tile.js";
import { newDocument } from "../support/document.js";
import { storeOf } from "../support/state.js";

newDocument();

const isGone = ({ root }) => root.getAttribute("class").split(" ").includes("gone");

test("a dropped head says so on its tile, and no other does", () => {
  const store = storeOf("cat");
  const state = store.get();
  const dropped = { ...state, question: { ...state.question, drop: [[0, 1]] } };
  for (const head of [0, 1]) {
    const tile = new HeadTile({ layer: 0, head });
    tile.mark(store, dropped, { own: undefined, chosen: false, out: false });
    const name = `layer 0, head ${head}`;
    assert.equal(isGone(tile), head === 1);
    assert.equal(tile.canvas.getAttribute("aria-label"), head === 1 ? `${name}, dropped` : name);
    tile.mark(store, state, { own: undefined, chosen: false, out: false });
    assert.equal(isGone(tile), false);
    assert.equal(tile.canvas.getAttribute("aria-label"), name);
  }
});

const answer = (num_layers, num_heads) => ({ reply: { shape: { num_layers, num_heads } } });
const VIEW = { sorted: false, metric: "entropy", above: null };
const names = (rows) => rows.map((row) => row.map(({ layer, head }) => `${layer}.${head}`).join(" "));
const METRICS = [
  { layer: 0, head: 0, entropy: 1 },
  { layer: 0, head: 1, entropy: 3 },
  { layer: 1, head: 0, entropy: 2 },
  { layer: 1, head: 1, entropy: null },
];

test("several layers are rows, the heads of one stand in a square", () => {
  assert.deepEqual(names(arrangeHeads({ answer: answer(2, 2), metrics: null, view: VIEW }, 500)), [
    "0.0 0.1",
    "1.0 1.1",
  ]);
  assert.deepEqual(names(arrangeHeads({ answer: answer(1, 3), metrics: null, view: VIEW }, 500)), ["0.0 0.1", "0.2"]);
});

test("by their metric the largest come first, and what the filter leaves out is missing", () => {
  const state = { answer: answer(2, 2), metrics: METRICS, view: { ...VIEW, sorted: true } };
  assert.deepEqual(names(arrangeHeads(state, 500)), ["0.1 1.0", "0.0 1.1"]);
  assert.deepEqual(names(arrangeHeads({ ...state, view: { ...state.view, above: 2 } }, 500)), ["0.1 1.0"]);
  assert.deepEqual(names(arrangeHeads(state, 100)), ["0.1", "1.0", "0.0", "1.1"]);
  assert.deepEqual(names(arrangeHeads({ ...state, metrics: [] }, 500)), ["0.0 0.1", "1.0 1.1"]);
});

test("only rows of one layer each are headed by it", () => {
  const rows = arrangeHeads({ answer: answer(2, 2), metrics: null, view: VIEW }, 500);
  assert.deepEqual([isByLayer(rows), isByLayer(rows.toReversed()), isByLayer([rows[0]])], [true, false, false]);
});

test("tiles fill the room, from a least to a largest size", () => {
  const rows = arrangeHeads({ answer: answer(2, 2), metrics: null, view: VIEW }, 500);
  assert.deepEqual(sideOf(rows, { width: 2000, height: 2000 }), { side: 200, columns: 2 });
  assert.equal(sideOf(rows, { width: 2000, height: 400 }).side, 166);
  const many = arrangeHeads({ answer: answer(12, 12), metrics: null, view: VIEW }, 500);
  assert.equal(sideOf(many, { width: 300, height: 300 }).side, 38);
});

test("keys walk over the tiles; below a short last row waits its last tile", () => {
  const rows = [["a", "b", "c"], ["d"]];
  const to = (key, from) => tileAfter({ key, ctrlKey: false, metaKey: false, altKey: false }, rows, from);
  assert.equal(to("ArrowRight", "a"), "b");
  assert.equal(to("ArrowLeft", "a"), "a"); // no key leads off the board
  assert.equal(to("ArrowDown", "c"), "d");
  assert.equal(to("ArrowDown", "d"), "d");
  assert.equal(to("ArrowUp", "d"), "a");
  assert.equal(to("End", "a"), "c");
  assert.equal(to("Home", "c"), "a");
  assert.equal(to("x", "a"), null);
});

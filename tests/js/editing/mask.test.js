import assert from "node:assert/strict";
import test from "node:test";
import { paintAllClosed, countOf, isBlocked, paintCells, stroke } from "../../../static/js/editing/mask.js";

const at = (...cells) => cells.map(([row, col]) => ({ row, col }));

test("cells are closed once each, in the order of reading", () => {
  const { blocked } = paintCells({ blocked: [[2, 0]] }, at([1, 3], [0, 9], [1, 3], [0, 10]), true);
  assert.deepEqual(blocked, [
    [0, 9],
    [0, 10],
    [1, 3],
    [2, 0],
  ]);
});

test("cells are opened again, and opening an open one does nothing", () => {
  const before = {
    blocked: [
      [0, 1],
      [1, 0],
    ],
  };
  assert.deepEqual(paintCells(before, at([0, 1], [5, 5]), false).blocked, [[1, 0]]);
  assert.equal(before.blocked.length, 2);
});

test("a cell knows whether it is closed by hand", () => {
  const question = { blocked: [[1, 2]] };
  assert.equal(isBlocked(question, { row: 1, col: 2 }), true);
  assert.equal(isBlocked(question, { row: 2, col: 1 }), false);
});

const SHEET = { scope: "all", batch: 1, head: 0, texts: 2, heads: 2, rows: 2, cols: 3 };
const OPEN = [
  [1, 1, 1],
  [1, 1, 1],
];
const CLOSED = [
  [1, 1, 1],
  [1, 1, 0],
];

test("the map of a decoder's context has a mask of its own", () => {
  const sheet = { ...SHEET, field: "context_mask" };
  const before = { blocked: [[0, 0]], context_mask: null };
  const after = paintCells(before, at([1, 2]), true, sheet);
  assert.deepEqual(after, { blocked: [[0, 0]], context_mask: CLOSED });
  assert.equal(isBlocked(after, { row: 1, col: 2 }, sheet), true);
  assert.equal(isBlocked(after, { row: 0, col: 0 }, sheet), false);
  assert.deepEqual([countOf(after, sheet), countOf(after, null)], [1, 1]);
  assert.equal(paintCells(after, at([1, 2]), false, sheet).context_mask, null);
});

test("one text, or one head of it, is painted apart from the others", () => {
  const [text, head] = ["text", "head"].map((scope) => ({ ...SHEET, scope, field: "mask" }));
  const before = { mask: null };
  assert.deepEqual(paintCells(before, at([1, 2]), true, text).mask, [[OPEN], [CLOSED]]);
  const own = paintCells(before, at([1, 2]), true, head);
  assert.deepEqual(own.mask, [
    [OPEN, OPEN],
    [CLOSED, OPEN],
  ]);
  assert.deepEqual([countOf(own, head), countOf(own, { ...head, head: 1 })], [1, 0]);
  assert.equal(paintCells(own, at([1, 2]), false, head).mask, null);
});

test("a mask of any shape is painted over as it stands", () => {
  const all = { ...SHEET, field: "mask" };
  const keys = { mask: [[[1, 0, 1]], [[1, 1, 1]]] };
  assert.deepEqual(paintCells(keys, at([0, 0]), true, { ...all, scope: "text" }).mask, [
    [
      [
        [1, 0, 1],
        [1, 0, 1],
      ],
    ],
    [
      [
        [0, 1, 1],
        [1, 1, 1],
      ],
    ],
  ]);
  const heads = {
    mask: [
      [OPEN, CLOSED],
      [OPEN, OPEN],
    ],
  };
  assert.deepEqual(paintCells(heads, at([1, 2]), true, all).mask.flat(), [CLOSED, CLOSED, CLOSED, CLOSED]);
});

test("a stroke has both its ends and no gap", () => {
  assert.deepEqual(stroke({ row: 0, col: 0 }, { row: 0, col: 3 }), at([0, 0], [0, 1], [0, 2], [0, 3]));
  assert.deepEqual(stroke({ row: 2, col: 2 }, { row: 0, col: 0 }), at([2, 2], [1, 1], [0, 0]));
  assert.deepEqual(stroke({ row: 0, col: 0 }, { row: 1, col: 4 }).length, 5);
  const cells = stroke({ row: 7, col: 1 }, { row: 0, col: 4 });
  cells.slice(1).forEach(({ row, col }, index) => {
    const before = cells[index];
    assert.ok(Math.max(Math.abs(row - before.row), Math.abs(col - before.col)) === 1);
  });
});

test("a stroke that does not move is one cell", () => {
  assert.deepEqual(stroke({ row: 3, col: 4 }, { row: 3, col: 4 }), at([3, 4]));
});

test("every mask of a text becomes cells that can be opened; padding does not", () => {
  const shut = -Infinity;
  const scores = { values: [1, shut, shut, 2, 0, shut, shut, shut, shut], rows: 3, cols: 3 };
  const question = { blocked: [[0, 1]], causal: true, window: 2, stride: 3, prefix: 1, scale: "none" };
  assert.deepEqual(paintAllClosed(question, scores, { rows: 2, cols: 2 }), {
    blocked: [[0, 1]],
    causal: false,
    window: null,
    global_tokens: 0,
    stride: null,
    block_size: null,
    prefix: 0,
    scale: "none",
  });
});

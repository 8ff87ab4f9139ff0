import assert from "node:assert/strict";
import test from "node:test";
import {
  allPainted,
  countOf,
  isBlocked,
  isPaintable,
  painted,
  stroke,
} from "../../../static/js/editing/painted-mask.js";

const at = (...cells) => cells.map(([row, col]) => ({ row, col }));

test("cells are closed once each, in the order of reading", () => {
  const { blocked } = painted({ blocked: [[2, 0]] }, at([1, 3], [0, 9], [1, 3], [0, 10]), true);
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
  assert.deepEqual(painted(before, at([0, 1], [5, 5]), false).blocked, [[1, 0]]);
  assert.equal(before.blocked.length, 2);
});

test("a cell knows whether it is closed by hand", () => {
  const question = { blocked: [[1, 2]] };
  assert.equal(isBlocked(question, { row: 1, col: 2 }), true);
  assert.equal(isBlocked(question, { row: 2, col: 1 }), false);
});

test("the map of a decoder's context has a mask of its own", () => {
  const sheet = { rows: 2, cols: 3 };
  const before = { blocked: [[0, 0]], context_mask: null };
  const closed = painted(before, at([1, 2]), true, sheet);
  assert.deepEqual(closed, {
    blocked: [[0, 0]],
    context_mask: [
      [1, 1, 1],
      [1, 1, 0],
    ],
  });
  assert.equal(isBlocked(closed, { row: 1, col: 2 }, sheet), true);
  assert.equal(isBlocked(closed, { row: 0, col: 0 }, sheet), false);
  assert.deepEqual([countOf(closed, sheet), countOf(closed, null)], [1, 1]);
  assert.equal(painted(closed, at([1, 2]), false, sheet).context_mask, null);
  assert.equal(isPaintable(closed), true);
  assert.equal(isPaintable({ context_mask: [[[1, 0, 1]]] }), false);
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
  assert.deepEqual(allPainted(question, scores, { rows: 2, cols: 2 }), {
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

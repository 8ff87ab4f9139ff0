import assert from "node:assert/strict";
import test from "node:test";
import { strongestLook } from "../../../static/js/core/strongest-look.js";

const SHUT = -Infinity;

/** A picture of weights; null is a closed cell. */
function picture(rows, more = {}) {
  const all = rows.flat();
  const holes = all.map((weight) => (weight === null ? SHUT : 0));
  return { values: all.map((weight) => weight ?? 0), holes, rows: rows.length, cols: rows[0].length, ...more };
}

test("a weight says more the more keys were open to its query", () => {
  const rows = [
    [1, null, null],
    [0.6, 0.4, null],
    [0.5, 0.2, 0.3],
  ];
  assert.deepEqual(strongestLook(picture(rows)), { row: 2, col: 0 });
  rows[1] = [0.9, 0.1, null];
  assert.deepEqual(strongestLook(picture(rows)), { row: 1, col: 0 });
});

test("of equal looks it is the last", () => {
  const rows = [
    [0.5, 0.5],
    [0.5, 0.5],
  ];
  assert.deepEqual(strongestLook(picture(rows)), { row: 1, col: 0 });
});

test("a query that sees itself alone is looked at where there is no other", () => {
  assert.deepEqual(strongestLook(picture([[1]])), { row: 0, col: 0 });
  const rows = [
    [1, null],
    [null, 1],
  ];
  assert.deepEqual(strongestLook(picture(rows)), { row: 1, col: 1 });
});

test("padding is left out, and a row that sees nothing has no strongest key", () => {
  const rows = [
    [0.2, 0.8, 0],
    [null, null, null],
    [0, 0, 1],
  ];
  assert.deepEqual(strongestLook(picture(rows, { realRows: 2, realCols: 2 })), { row: 0, col: 1 });
});

test("before there is a picture there is none", () => {
  assert.equal(strongestLook(null), null);
});

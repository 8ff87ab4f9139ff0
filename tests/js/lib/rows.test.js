import assert from "node:assert/strict";
import test from "node:test";
import { rowsOf } from "../../../static/js/lib/rows.js";

test("numbers become rows as the API takes a matrix", () => {
  assert.deepEqual(rowsOf([1, 2, 3, 4, 5, 6], 3), [
    [1, 2, 3],
    [4, 5, 6],
  ]);
  assert.deepEqual(rowsOf(new Float64Array(0), 3), []);
});

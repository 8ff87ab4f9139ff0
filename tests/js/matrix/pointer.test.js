import assert from "node:assert/strict";
import test from "node:test";
import { cellUnder } from "../../../static/js/matrix/pointer.js";

const picture = { getBoundingClientRect: () => ({ left: 100, top: 50, width: 80, height: 20 }) };
const under = (clientX, clientY) => cellUnder({ clientX, clientY }, picture, { rows: 2, cols: 4 });

test("a cell is as large as its part of the picture", () => {
  assert.deepEqual(under(100, 50), { row: 0, col: 0 });
  assert.deepEqual(under(119.9, 59.9), { row: 0, col: 0 });
  assert.deepEqual(under(120, 60), { row: 1, col: 1 });
  assert.deepEqual(under(179, 69), { row: 1, col: 3 });
});

test("beside the picture there is none", () => {
  assert.deepEqual([under(99, 55), under(180, 55), under(120, 49), under(120, 70)], [null, null, null, null]);
});

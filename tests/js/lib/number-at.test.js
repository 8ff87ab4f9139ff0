import assert from "node:assert/strict";
import test from "node:test";
import { numberAt } from "../../../static/js/lib/number-at.js";

test("a closed cell has no number, nor has padding, but −∞ of its own is one", () => {
  const values = [1, 2, 3, -Infinity];
  const picture = { rows: 2, cols: 2, values, holes: [0, -Infinity, 0, 0], realRows: 2, realCols: 2 };
  assert.deepEqual([numberAt(picture, 0, 0), numberAt(picture, 0, 1), numberAt(picture, 1, 1)], [1, null, -Infinity]);
  assert.equal(numberAt({ ...picture, realRows: 1 }, 1, 0), null);
});

import assert from "node:assert/strict";
import test from "node:test";
import { shrinkage } from "../../../static/js/lib/paper.js";

const SHEET = { width: 800, height: 400 };
const size = (offsetWidth, offsetHeight) => shrinkage({ offsetWidth, offsetHeight }, SHEET, 0.5);

test("what is drawn is made smaller to fit a sheet, but not to less than a part", () => {
  assert.deepEqual([size(400, 300), size(1600, 300), size(400, 500)], [1, 0.5, 0.8]);
  assert.equal(size(400, 900), 1); // goes on over the next sheet
  assert.equal(size(1000, 900), 0.8);
  assert.equal(size(0, 0), 1); // behind another tab
});

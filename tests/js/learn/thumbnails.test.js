import assert from "node:assert/strict";
import test from "node:test";
import { pictureOf, scaleOf } from "../../../static/js/learn/thumbnails.js";

const GLANCE = { stage: "scores", values: [[1, null], [-3, 2]] }; // prettier-ignore

test("what is null is closed", () => {
  assert.deepEqual(pictureOf(GLANCE), { values: [1, -Infinity, -3, 2], rows: 2, cols: 2 });
});

test("weights run from 0 to 1, and all else as far below 0 as above", () => {
  assert.deepEqual(scaleOf("scores", pictureOf(GLANCE)), { low: -3, high: 3 });
  assert.deepEqual(scaleOf("weights", pictureOf(GLANCE)), { low: 0, high: 1 });
});

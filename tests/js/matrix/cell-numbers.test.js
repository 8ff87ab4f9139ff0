/** The numbers inside the cells of a picture. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { newDocument } from "../support/document.js";
import { Coarse } from "../../../static/js/lib/coarse.js";
import { cellTexts } from "../../../static/js/matrix/cell-numbers.js";

const COLORS = /** @type {any} */ ({ ink: () => "black" });
const SCALE = { low: -1, high: 1 };
const CELLS = { cellWidth: 60, cellHeight: 30 };

/** @param {object} picture */
function writtenIn(picture) {
  const box = newDocument().createElement("div");
  cellTexts(box, /** @type {any} */ ({ rows: 1, cols: 2, ...picture }), COLORS, SCALE, CELLS, 3);
  return [...box.children].map(({ textContent }) => textContent);
}

test("numbers stand in their cells, and in a picture once they have come", () => {
  assert.deepEqual(writtenIn({ values: Float64Array.of(0.25, -1) }), ["0.25", "−1.00"]);
  const frame = { cells: [1, 2], points: [1, 2], side: [1, 1], range: [-1, 1] };
  const coarse = new Coarse(Uint8Array.of(120, 0), /** @type {any} */ (frame));
  assert.deepEqual(writtenIn(coarse.block), []);
  /** @type {Record<string, number>} */
  let known = {};
  const source = { of: () => (/** @type {number} */ row, /** @type {number} */ col) => known[`${row}.${col}`] };
  const want = () => Object.keys(known).length > 0;
  coarse.cameFrom({ ...source, want }, { stage: "weights" });
  assert.deepEqual(writtenIn(coarse.block), []);
  const before = coarse.here;
  known = { "0.0": 0.25, 0.1: -1 };
  assert.notEqual(coarse.here, before);
  assert.deepEqual(writtenIn(coarse.block), ["0.25", "−1.00"]);
});

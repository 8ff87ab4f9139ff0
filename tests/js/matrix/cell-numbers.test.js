/** The numbers inside the cells of a picture. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { newDocument } from "../support/document.js";
import { palette } from "../../../static/js/lib/paint.js";
import { QuantizedMap } from "../../../static/js/lib/quantized.js";
import { cellTexts, sharedDecimals } from "../../../static/js/matrix/cell-numbers.js";

const COLORS = palette("000000ffffff");
const SCALE = { low: -1, high: 1 };
const CELLS = { cellWidth: 60, cellHeight: 30 };

/** @param {object} picture */
function writtenIn(picture, cells = CELLS, decimals = 3) {
  const box = newDocument().createElement("div");
  const ink = { picture: { rows: 1, cols: 2, ...picture }, colors: COLORS, scale: SCALE, cells, precision: decimals };
  cellTexts(box, /** @type {any} */ ({ ...ink, family: "serif" }));
  return [...box.children].map(({ textContent }) => textContent);
}

test("numbers stand in their cells, and in a picture once they have come", () => {
  assert.deepEqual(writtenIn({ values: Float64Array.of(0.25, -1) }), ["0.25", "−1.00"]);
  const frame = { cells: [1, 2], points: [1, 2], side: [1, 1], range: [-1, 1] };
  const coarse = new QuantizedMap(Uint8Array.of(120, 0), /** @type {any} */ (frame));
  assert.deepEqual(writtenIn(coarse.block), []);
  /** @type {Record<string, number>} */
  let known = {};
  const source = { of: () => (/** @type {number} */ row, /** @type {number} */ col) => known[`${row}.${col}`] };
  const want = () => Object.keys(known).length > 0;
  coarse.setSource({ ...source, want }, { stage: "weights" });
  assert.deepEqual(writtenIn(coarse.block), []);
  const before = coarse.arrivalKey;
  known = { "0.0": 0.25, 0.1: -1 };
  assert.notEqual(coarse.arrivalKey, before);
  assert.deepEqual(writtenIn(coarse.block), ["0.25", "−1.00"]);
});

test("numbers lose decimals before they vanish, and one digit of the largest stays", () => {
  const values = Float64Array.of(-0.3333, 0.25);
  const inCells = (/** @type {number} */ cellWidth) => writtenIn({ values }, { cellWidth, cellHeight: 20 });
  assert.deepEqual(inCells(45), ["−0.333", "0.250"]);
  assert.deepEqual(inCells(35), ["−0.33", "0.25"]);
  assert.deepEqual(inCells(28), ["−0.3", "0.3"]);
  assert.deepEqual(inCells(20), []);
  assert.deepEqual(writtenIn({ values: Float64Array.of(-12.4, 3.3) }, { cellWidth: 22, cellHeight: 20 }), ["−12", "3"]);
});

test("weights keep one decimal, in narrow cells without the 0 before it", () => {
  const values = Float64Array.of(1, 0.44, 0.03, 0.96);
  const inCells = (/** @type {number} */ cellWidth, decimals = 0) =>
    writtenIn({ cols: 4, values }, { cellWidth, cellHeight: 20 }, decimals);
  assert.deepEqual(inCells(26), ["1.0", "0.4", "0.0", "1.0"]);
  assert.deepEqual(inCells(19, 3), ["1", ".4", ".0", "1"]);
  assert.deepEqual(inCells(9), []);
  assert.deepEqual(writtenIn({ values: Float64Array.of(1, 0) }, { cellWidth: 12, cellHeight: 20 }), ["1", "0"]);
});

test("pictures beside each other have as many decimals as fit in all of them", () => {
  const [scores, weights] = [
    [-12.3456, 0.5],
    [0.1234, 0.8766],
  ].map((values) => ({ rows: 1, cols: 2, values }));
  const shared = (/** @type {number} */ width) => sharedDecimals([scores, weights], 3, width);
  assert.deepEqual([60, 40, 36].map(shared), [3, 2, 1]);
  assert.deepEqual(writtenIn(weights, { cellWidth: 46, cellHeight: 20 }, 2), ["0.12", "0.88"]);
  assert.equal(sharedDecimals([], 3, 10), 3);
});

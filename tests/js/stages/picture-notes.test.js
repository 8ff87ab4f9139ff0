import assert from "node:assert/strict";
import test from "node:test";
import { QuantizedMap } from "../../../static/js/lib/quantized.js";
import { outlierOf } from "../../../static/js/stages/picture-notes.js";

const [ROWS, COLS] = [10, 20];

/** Cells of 0.5, and one that is larger. @param {number} value */
function pictureWith(value) {
  const values = new Float32Array(ROWS * COLS).fill(0.5);
  values[3 * COLS + 7] = value;
  return { values, rows: ROWS, cols: COLS, size: Math.abs(value) };
}

test("one value that leaves no colour to the others is named, whatever its sign", () => {
  assert.deepEqual(outlierOf(pictureWith(-640)), { row: 3, value: -640, faint: 10, share: 199 / 200 });
  assert.equal(outlierOf(pictureWith(16)), null);
  assert.equal(outlierOf({ ...pictureWith(0.5), values: new Float32Array(ROWS * COLS) }), null);
});

test("masked cells and padding do not count as faint", () => {
  const picture = pictureWith(640);
  picture.values.fill(-Infinity, 0, 3 * COLS + 7);
  assert.equal(outlierOf({ ...picture, realRows: 5 }), null); // 32 of 33 cells
  const many = { ...pictureWith(640), realRows: 4 };
  assert.equal(outlierOf(many)?.share, 79 / 80);
});

test("points of a quantised picture count, and the row is that of cells", () => {
  const bytes = new Uint8Array(ROWS * COLS).fill(127);
  bytes[3 * COLS + 7] = 254;
  const frame = { cells: [2 * ROWS, 2 * COLS], points: [ROWS, COLS], side: [2, 2], range: [-2e4, 2e4] };
  const { block, extent } = new QuantizedMap(bytes, /** @type {any} */ (frame));
  assert.deepEqual(outlierOf({ ...block, ...extent }), { row: 6, value: 2e4, faint: 312.5, share: 199 / 200 });
});

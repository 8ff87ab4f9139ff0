import assert from "node:assert/strict";
import test from "node:test";
import { stageOf } from "../../../static/js/core/page.js";
import { QuantizedMap } from "../../../static/js/lib/quantized.js";
import { isExact, readCell } from "../../../static/js/matrix/read-cell.js";
import { page } from "../support/sent.js";
import { storeOf } from "../support/state.js";

const store = storeOf("cat");
const read = (picture, row, col, stage = "scores") => readCell(store, stageOf(page, stage), picture, { row, col }, 3);

/** A picture of two by two points, and what was asked for of its numbers. */
function start(side, known = () => undefined) {
  const [rows, cols] = [2 * side, 2 * side];
  const frame = { cells: [rows, cols], points: [2, 2], side: [side, side], range: [-1, 1] };
  const coarse = new QuantizedMap(Uint8Array.of(0, 254, 100, 255), frame);
  const asked = [];
  coarse.setSource({ of: () => known, want: (...all) => (asked.push(all), false) }, { stage: "scores" });
  return { picture: coarse.block, asked };
}

test("a number of an answer is read as it is", () => {
  const picture = { rows: 1, cols: 2, values: [0.5, -Infinity] };
  assert.deepEqual([read(picture, 0, 0), isExact(picture, { row: 0, col: 0 })], ["0.500", true]);
});

test("that of a picture is about so much, in as many decimals as it has, and is asked for", () => {
  const { picture, asked } = start(1);
  assert.equal(read(picture, 1, 0), "≈ −0.213");
  assert.deepEqual(asked, [["cell", [{ stage: "scores", rows: [0, 2], cols: [0, 2] }]]]);
  assert.equal(isExact(picture, { row: 1, col: 0 }), false);
});

test("of several cells it is the strongest, and says so", () => {
  assert.equal(read(start(4).picture, 0, 7), "≈ 1.000, the strongest of 4 × 4 cells");
});

test("where all cells are closed there is nothing to wait for", () => {
  assert.equal(read(start(4).picture, 7, 7, "weights"), "0 (masked)");
});

test("a number that came is read, and a closed cell among open ones too", () => {
  const { picture } = start(4, (row, col) => (row === col ? 0.123456 : -Infinity));
  assert.deepEqual([read(picture, 0, 0), read(picture, 0, 1, "weights")], ["0.123", "0 (masked)"]);
});

test("padding is known", () => {
  const { picture } = start(2);
  assert.equal(isExact({ ...picture, realRows: 1 }, { row: 3, col: 0 }), true);
});

import assert from "node:assert/strict";
import test from "node:test";
import { fit } from "../../../static/js/lib/fit.js";

const ROOM = { width: 100, height: 60 };

test("the cells of a map are square and as large as the narrower side of the room allows", () => {
  const { cellWidth, cellHeight, width, height } = fit({ rows: 4, cols: 5 }, ROOM, { square: true, most: 40 }, 1);
  assert.deepEqual([cellWidth, cellHeight], [15, 15]); // 60 / 4, and 100 / 5 is more
  assert.deepEqual([width, height], [75, 60]);
});

test("no cell is larger than wished", () => {
  const { cellWidth, cellHeight } = fit({ rows: 2, cols: 2 }, ROOM, { square: true, most: 12 }, 1);
  assert.deepEqual([cellWidth, cellHeight], [12, 12]);
});

test("other cells may be wider than high, 2½ times at the most", () => {
  const wide = fit({ rows: 10, cols: 2 }, ROOM, { square: false, most: 40 }, 1);
  assert.deepEqual([wide.cellWidth, wide.cellHeight], [15, 6]);
  const full = fit({ rows: 10, cols: 10 }, ROOM, { square: false, most: 40 }, 1);
  assert.deepEqual([full.cellWidth, full.cellHeight], [10, 6]);
});

test("a very flat cell may still be five pixels wide", () => {
  const { cellWidth, cellHeight } = fit({ rows: 60, cols: 2 }, ROOM, { square: false, most: 40 }, 1);
  assert.deepEqual([cellWidth, cellHeight], [5, 1]);
});

test("cells are whole pixels of the device", () => {
  const { cellWidth, pixelsWide, width } = fit({ rows: 7, cols: 7 }, ROOM, { square: true, most: 40 }, 1.5);
  // 60 / 7 = 8.57 CSS pixels are 12.86 device pixels: 12 of them.
  assert.equal(pixelsWide, 84);
  assert.equal(cellWidth, 8);
  assert.equal(width, 56);
});

test("with less than a pixel each, cells share pixels and the picture fills the room", () => {
  const { pixelsWide, pixelsHigh, cellWidth } = fit({ rows: 600, cols: 600 }, ROOM, { square: true, most: 40 }, 1);
  assert.deepEqual([pixelsWide, pixelsHigh], [60, 60]);
  assert.equal(cellWidth, 0.1);
});

test("a picture has one pixel at least", () => {
  const { pixelsWide, pixelsHigh } = fit({ rows: 1, cols: 9000 }, ROOM, { square: true, most: 40 }, 1);
  assert.deepEqual([pixelsWide, pixelsHigh], [100, 1]);
});

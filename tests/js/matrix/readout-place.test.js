import assert from "node:assert/strict";
import test from "node:test";
import { readoutPlace } from "../../../static/js/matrix/readout-place.js";

const PICTURE = { left: 100, right: 300, top: 200, bottom: 400 }; // 5 × 5 cells of 40
const SIZE = { width: 90, height: 44 };
const WINDOW = { edge: 320, right: 1440, bottom: 900 };
const cellAt = (row, col) => ({
  left: 100 + 40 * col,
  right: 140 + 40 * col,
  top: 200 + 40 * row,
  bottom: 240 + 40 * row,
});

/** The names that a readout would cover: of rows, of columns, of the card on the right. */
function covered({ left, top }, { width, height }, edge) {
  const beside = top < PICTURE.bottom && top + height > PICTURE.top;
  return {
    rows: beside && left < PICTURE.left,
    cols: top < PICTURE.top,
    next: beside && left + width > edge,
  };
}

test("a readout covers neither a name nor its cell, wherever the cell is and however long its tokens are", () => {
  for (const width of [60, 90, 190, 400])
    for (let at = 0; at < 25; at++) {
      const [row, col] = [Math.floor(at / 5), at % 5];
      const cell = cellAt(row, col);
      const place = readoutPlace(cell, PICTURE, { ...SIZE, width }, WINDOW);
      assert.deepEqual(covered(place, { ...SIZE, width }, WINDOW.edge), { rows: false, cols: false, next: false });
      const apart = place.left >= cell.right || place.left + width <= cell.left;
      assert.ok(apart || place.top >= cell.bottom || place.top + SIZE.height <= cell.top, `${width} ${row} ${col}`);
    }
});

test("it stands above its cell where there is room, else below", () => {
  assert.deepEqual(readoutPlace(cellAt(3, 0), PICTURE, SIZE, WINDOW), { left: 146, top: 270 });
  assert.deepEqual(readoutPlace(cellAt(0, 0), PICTURE, SIZE, WINDOW), { left: 146, top: 246 });
  const scrolled = { ...PICTURE, top: -150, bottom: 50 };
  const { top } = readoutPlace({ ...cellAt(0, 0), top: 10, bottom: 50 }, scrolled, SIZE, WINDOW);
  assert.equal(top, 56);
});

test("it stays in the window", () => {
  const small = { edge: 320, right: 330, bottom: 420 };
  const { left, top } = readoutPlace(cellAt(2, 2), PICTURE, { width: 300, height: 44 }, small);
  assert.deepEqual([left, top], [24, 370]);
});

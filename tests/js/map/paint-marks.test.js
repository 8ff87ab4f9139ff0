import assert from "node:assert/strict";
import test from "node:test";
import { palette } from "../../../static/js/lib/paint.js";
import { MarkPainter, drawNumbers, inCell, typeOf } from "../../../static/js/map/paint-marks.js";
import { sheetOfPaper } from "../support/sheet.js";

const FEW = { rows: [0, 10], cols: [0, 10] };
const INK = { surface: "white", ink: "black", query: "blue", key: "orange", family: "sans" };

test("numbers are written where a cell has room for them, with as many decimals as fit", () => {
  assert.equal(typeOf(20, { min: 0, max: 1 }, 3, FEW), null);
  assert.equal(typeOf(29, { min: 0, max: 1 }, 3, FEW)?.decimals, 2);
  assert.equal(typeOf(40, { min: 0, max: 1 }, 3, FEW)?.decimals, 3);
  assert.equal(typeOf(90, { min: 0, max: 1 }, 3, FEW)?.size, 22);
  assert.equal(typeOf(34, { min: -9, max: 16 }, 3, FEW), null);
  assert.equal(typeOf(36, { min: -9, max: 16 }, 3, FEW)?.decimals, 1);
  assert.equal(typeOf(90, { min: 0, max: 1 }, 3, { rows: [0, 100], cols: [0, 100] }), null);
});

test("a number that its decimals would show as 0 is shown by its power of ten", () => {
  assert.deepEqual(
    [0, 0.25, 0.005, 0.0049, 8.78e-6, -3e-11].map((value) => inCell(value, 2)),
    ["0.00", "0.25", "0.01", "5e−3", "9e−6", "−3e−11"],
  );
});

test("a number stands in the middle of its cell; closed cells have none, nor what has not come", () => {
  const { context, of } = sheetOfPaper();
  const values = [0.25, 0.5, -Infinity, undefined];
  const sheet = { blocks: { at: (row, col) => values[2 * row + col] } };
  const tiles = [{ row: 0, col: 0, rows: 2, cols: 2, codes: Uint8Array.of(3, 255, 4, 5) }];
  const colouring = { scale: { low: 0, high: 1, by: "even" }, colors: palette("ffffff000000") };
  const span = { rows: [0, 2], cols: [0, 2] };
  const layout = { from: { x: 10, y: 20 }, scale: 40 };
  drawNumbers(context, sheet, span, layout, { decimals: 2, size: 11 }, tiles, colouring, INK);
  assert.deepEqual(of("fillText"), [["0.25", 30, 40]]);
});

test("row, column and cell are framed in their colours, cut at the edges of what is seen", () => {
  const { context, drawn } = sheetOfPaper();
  const room = { left: 10, top: 10, width: 100, height: 100 };
  const marks = new MarkPainter(context, INK);
  marks.cross({ rows: [1, 2], cols: [2, 3] }, { from: { x: 0, y: 0 }, scale: 20, size: { rows: 4, cols: 40 }, room });
  const lines = drawn.filter(({ stroke }) => stroke !== "white").map(({ all, stroke }) => [stroke, ...all]);
  assert.deepEqual(lines, [
    ["blue", 10, 20, 100, 20],
    ["orange", 40, 10, 20, 70],
    ["black", 40, 20, 20, 20],
  ]);
});

test("the pinned cell is seen however small it is", () => {
  const { context, of } = sheetOfPaper();
  new MarkPainter(context, INK).pin({ row: 10, col: 20 }, { from: { x: 0, y: 0 }, scale: 1 });
  assert.deepEqual(of("strokeRect")[0], [18, 8, 5, 5]);
});

test("a token that was looked for is a row or a column, no longer than the map", () => {
  const { context, of } = sheetOfPaper();
  const room = { left: 10, top: 10, width: 100, height: 100 };
  const marks = new MarkPainter(context, INK);
  const size = { rows: 40, cols: 40 };
  marks.band({ axis: "key", at: 3 }, { from: { x: 0, y: 0 }, scale: 20, size, room });
  assert.deepEqual(of("strokeRect")[0], [60, 10, 20, 100]);
  marks.band({ axis: "query", at: 3 }, { from: { x: 30, y: 20 }, scale: 1, size, room });
  assert.deepEqual(of("strokeRect")[2], [30, 23, 40, 0]);
});

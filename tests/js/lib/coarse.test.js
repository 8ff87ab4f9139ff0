import assert from "node:assert/strict";
import test from "node:test";
import { Coarse, merged, sideFor } from "../../../static/js/lib/coarse.js";
import { anyClosed, closed, numberAt, valueAt } from "../../../static/js/lib/paint.js";

const whole = (bytes, more = {}) =>
  new Coarse(Uint8Array.from(bytes), { cells: [2, 2], points: [2, 2], side: [1, 1], range: [-1, 1], ...more });
const close = (a, b) => assert.ok(Math.abs(a - b) < 1e-6, `${a} is not ${b}`);

test("bytes go evenly over the range, and 255 is closed", () => {
  const { values } = whole([0, 254, 127, 255]);
  assert.deepEqual([...values], [-1, 1, 0, -Infinity]);
});

test("by the root small values have finer steps", () => {
  const { values } = whole([0, 127, 254, 1], { range: [0, 1], spacing: "root" });
  close(values[1], 0.25);
  close(values[3], 1 / 254 ** 2);
});

test("a range of one value has that value", () => {
  assert.deepEqual([...whole([0, 0, 0, 255], { range: [3, 3] }).values], [3, 3, 3, -Infinity]);
});

test("a cell of a square has the value of its point, at the edge too", () => {
  const coarse = new Coarse(Uint8Array.of(0, 127, 254, 255), {
    cells: [3, 7],
    points: [2, 2],
    side: [2, 4],
    range: [0, 254],
  });
  const picture = coarse.block;
  const seen = [0, 1, 2].map((row) => [0, 3, 4, 6].map((col) => valueAt(picture, row, col)));
  assert.deepEqual(seen, [
    [0, 0, 127, 127],
    [0, 0, 127, 127],
    [254, 254, -Infinity, -Infinity],
  ]);
  assert.equal(coarse.isWhole, false);
  assert.deepEqual(coarse.cellOf(picture, { row: 1, col: 1 }), { row: 2, col: 6 });
  assert.deepEqual(coarse.cellOf({ ...picture, realRows: 2, realCols: 5 }, { row: 0, col: 1 }), { row: 1, col: 4 });
});

test("a number that came stands in the place of its point", () => {
  const coarse = whole([0, 0, 0, 255]);
  const picture = coarse.block;
  coarse.known = (row, col) => (row === col ? undefined : col ? 0.25 : -Infinity);
  assert.deepEqual([numberAt(picture, 0, 0), numberAt(picture, 0, 1)], [-1, 0.25]);
  assert.deepEqual([closed(picture, 1, 0), closed(picture, 1, 1), closed(picture, 0, 1)], [true, true, false]);
});

test("a picture is closed where it has a closed point, or padding", () => {
  assert.equal(anyClosed(whole([0, 1, 2, 3]).block), false);
  assert.equal(anyClosed(whole([0, 1, 2, 255]).block), true);
  assert.equal(anyClosed({ ...whole([0, 1, 2, 3]).block, realRows: 1 }), true);
});

test("it has no values, so that nobody takes a point for a number", () => {
  assert.equal(whole([0, 1, 2, 3]).block.values.length, 0);
});

test("as many decimals are told as its steps are fine", () => {
  assert.equal(whole([0, 0, 0, 0], { range: [0, 254] }).decimalsOf(7), 0);
  assert.equal(whole([0, 0, 0, 0], { range: [0, 1] }).decimalsOf(0.5), 3);
  const root = whole([0, 0, 0, 0], { range: [0, 1], spacing: "root" });
  assert.deepEqual([root.decimalsOf(0), root.decimalsOf(1)], [5, 3]);
  assert.equal(whole([0, 0, 0, 0], { range: [3, 3] }).decimalsOf(3), 0);
});

test("what is read is asked of where it came from, line by line", () => {
  const coarse = whole([0, 0, 0, 0]);
  const asked = [];
  const want = (reader, regions) => (asked.push([reader, regions]), false);
  assert.equal(coarse.read("nobody", [0, 1], [0, 1]), false);
  coarse.cameFrom({ of: () => () => 7, want }, { stage: "q" });
  assert.equal(coarse.readLines("row", "query", [1]), false);
  coarse.readLines("column", "key", [0]);
  assert.deepEqual(asked, [
    ["row", [{ stage: "q", rows: [1, 2], cols: [0, 2] }]],
    ["column", [{ stage: "q", rows: [0, 2], cols: [0, 1] }]],
  ]);
  assert.equal(numberAt(coarse.block, 1, 1), 7);
});

test("several are their mean or the largest, and closed where all are", () => {
  const parts = [whole([0, 127, 255, 255]), whole([254, 127, 254, 255])];
  assert.deepEqual([...merged(parts, true).values], [0, 0, 0.5, -Infinity]);
  assert.deepEqual([...merged(parts, false).values], [1, 0, 1, -Infinity]);
  assert.deepEqual(merged(parts, false).extent, { size: 1, most: 1 });
  const known = merged(parts, true).known;
  assert.equal(known(0, 0), undefined);
  parts.forEach((part, at) => (part.known = () => at));
  assert.equal(merged(parts, true).known(0, 0), 0.5);
  const other = whole([0], { points: [1, 1], side: [2, 2] });
  assert.equal(merged([parts[0], other], true), null);
});

test("a side is the smallest power of two that makes few enough points", () => {
  assert.deepEqual(
    [1, 512, 513, 1024, 1025, 4096].map((cells) => sideFor(cells, 512)),
    [1, 1, 2, 2, 4, 8],
  );
});

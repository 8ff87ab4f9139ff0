import assert from "node:assert/strict";
import test from "node:test";
import { QuantizedMap, mergePictures, sideFor } from "../../../static/js/lib/quantized.js";
import { hasClosed, isClosed, extent, paint, valueAt } from "../../../static/js/lib/paint.js";
import { numberAt } from "../../../static/js/lib/number-at.js";
import { newDocument } from "../support/document.js";

const whole = (bytes, more = {}) =>
  new QuantizedMap(Uint8Array.from(bytes), { cells: [2, 2], points: [2, 2], side: [1, 1], range: [-1, 1], ...more });
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

test("its own extent is that of its points, whatever the range and what is closed", () => {
  for (const bytes of [
    [0, 100, 254, 255],
    [200, 201, 255, 255],
    [3, 20, 100, 90],
    [255, 255, 255, 255],
  ]) {
    for (const range of [
      [0, 1],
      [-2, 1],
      [-3, -1],
    ]) {
      const coarse = whole(bytes, { range });
      const { size, most } = extent({ values: coarse.values, rows: 2, cols: 2 });
      close(coarse.ownExtent.size, size);
      close(coarse.ownExtent.most, most);
    }
  }
});

test("a cell of a square has the value of its point, at the edge too", () => {
  const coarse = new QuantizedMap(Uint8Array.of(0, 127, 254, 255), {
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
  assert.deepEqual([isClosed(picture, 1, 0), isClosed(picture, 1, 1), isClosed(picture, 0, 1)], [true, true, false]);
});

test("a picture is closed where it has a closed point, or padding", () => {
  assert.equal(hasClosed(whole([0, 1, 2, 3]).block), false);
  assert.equal(hasClosed(whole([0, 1, 2, 255]).block), true);
  assert.equal(hasClosed({ ...whole([0, 1, 2, 3]).block, realRows: 1 }), true);
});

test("it has no values, so that nobody takes a point for a number", () => {
  assert.equal(whole([0, 1, 2, 3]).block.values.length, 0);
});

test("as many decimals are shown as its steps are fine", () => {
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
  assert.equal(coarse.request("nobody", [0, 1], [0, 1]), false);
  coarse.setSource({ of: () => () => 7, want }, { stage: "q" });
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
  assert.deepEqual([...mergePictures(parts, true).values], [0, 0, 0.5, -Infinity]);
  assert.deepEqual([...mergePictures(parts, false).values], [1, 0, 1, -Infinity]);
  assert.deepEqual(mergePictures(parts, false).extent, { size: 1, most: 1 });
  const known = mergePictures(parts, true).known;
  assert.equal(known(0, 0), undefined);
  parts.forEach((part, at) => (part.known = () => at));
  assert.equal(mergePictures(parts, true).known(0, 0), 0.5);
  const other = whole([0], { points: [1, 1], side: [2, 2] });
  assert.equal(mergePictures([parts[0], other], true), null);
});

test("a side is the smallest power of two that makes few enough points", () => {
  assert.deepEqual(
    [1, 512, 513, 1024, 1025, 4096].map((cells) => sideFor(cells, 512)),
    [1, 1, 2, 2, 4, 8],
  );
});

test("bytes are painted as their values are, whether points share a pixel or not", () => {
  const document = newDocument();
  const [rows, cols] = [9, 13];
  const bytes = Uint8Array.from({ length: rows * cols }, (_, at) => (at % 11 === 3 ? 255 : (at * 89) % 255));
  const colors = { pixels: Uint32Array.from({ length: 256 }, (_, at) => 0xff000000 + at + 1) };
  const painted = (draw) => {
    const canvas = document.createElement("canvas");
    draw(canvas);
    return [...new Uint32Array(canvas.painted.data.buffer)];
  };
  for (const [range, spacing, low] of [
    [[0, 1], "root", 0],
    [[0, 3], "even", 0],
    [[-2, 2], "even", -2],
  ]) {
    const coarse = new QuantizedMap(bytes, { cells: [rows, cols], points: [rows, cols], side: [1, 1], range, spacing });
    const scale = { low, high: range[1], root: spacing === "root" };
    for (const [width, height] of [
      [cols, rows],
      [5, 4],
      [cols, 2],
    ]) {
      for (const padding of [{}, { realRows: 7, realCols: 10 }]) {
        const picture = { ...coarse.block, ...padding };
        const points = { values: coarse.values, rows, cols, ...padding };
        const own = painted((canvas) => paint(canvas, picture, colors, scale, width, height));
        assert.deepEqual(
          own,
          painted((canvas) => paint(canvas, points, colors, scale, width, height)),
        );
        assert.ok(new Set(own).size > 4);
      }
    }
  }
});

test("points at the edge that stand for cells beyond it are cut", () => {
  const document = newDocument();
  const coarse = new QuantizedMap(new Uint8Array(4), {
    cells: [65, 65],
    points: [2, 2],
    side: [64, 64],
    range: [0, 1],
  });
  const canvas = document.createElement("canvas");
  const colors = { pixels: new Uint32Array(256).fill(7) };
  paint(canvas, coarse.block, colors, { low: 0, high: 1 }, 1, 1);
  assert.deepEqual([canvas.width, canvas.height, canvas.painted.width, canvas.painted.height], [1, 1, 2, 2]);
  paint(canvas, coarse.block, colors, { low: 0, high: 1 }, 10, 10);
  assert.deepEqual([canvas.width, canvas.place], [10, [0, 0]]);
});

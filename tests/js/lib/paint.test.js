import assert from "node:assert/strict";
import test, { describe } from "node:test";
import { numberAt } from "../../../static/js/lib/number-at.js";
import {
  gradient,
  palette,
  hasClosed,
  isClosed,
  colorIndex,
  extent,
  middleOf,
  paint,
  scaleOfRow,
} from "../../../static/js/lib/paint.js";
import { newDocument } from "../support/document.js";

describe("palette", () => {
  const GREYS = palette("000000ffffff");

  test("a palette begins and ends with its stops, and lies evenly between them", () => {
    const three = palette("ff0000000000" + "0000ff");
    assert.equal(three.css(0), "rgb(255 0 0)");
    assert.equal(three.css(255), "rgb(0 0 255)");
    // 51 of 255 is two fifths of the way from the first stop to the second: 255 · 3/5.
    assert.equal(three.css(51), "rgb(153 0 0)");
    assert.equal(three.pixels.length, 256);
  });

  test("a pixel is what ImageData holds: A B G R, opaque", () => {
    assert.equal(palette("102030405060").pixels[0], 0xff302010);
    assert.equal(GREYS.pixels[255], 0xffffffff);
  });

  test("the same colours are one palette", () => {
    assert.equal(palette("000000ffffff"), GREYS);
  });

  test("a gradient runs from the first colour to the last", () => {
    const text = gradient(GREYS);
    assert.match(text, /^linear-gradient\(to right, rgb\(0 0 0\), /);
    assert.match(text, /rgb\(255 255 255\)\)$/);
    const half = gradient(GREYS, 128, 255);
    assert.match(half, /^linear-gradient\(to right, rgb\(128 128 128\), .* rgb\(255 255 255\)\)$/);
  });
});

describe("paint", () => {
  const document = newDocument();
  const CLOSED = -Infinity;
  const GREYS = palette("000000ffffff");

  /** 2 × 3, with a closed cell of its own, one closed elsewhere, and a column of padding. */
  const PICTURE = {
    values: [1, -4, 9, 2, CLOSED, 9],
    holes: [0, CLOSED, 0, 0, 0, 0],
    rows: 2,
    cols: 3,
    realCols: 2,
  };

  test("a cell is closed by its own −∞, by one in the holes, and by padding", () => {
    const found = [0, 1].map((row) => [0, 1, 2].map((col) => isClosed(PICTURE, row, col)));
    assert.deepEqual(found, [
      [false, true, true],
      [false, true, true],
    ]);
    assert.equal(isClosed({ ...PICTURE, realRows: 1 }, 1, 0), true);
  });

  test("a closed cell has no number, but −∞ of its own is one", () => {
    assert.equal(numberAt(PICTURE, 0, 0), 1);
    assert.equal(numberAt(PICTURE, 0, 1), null);
    assert.equal(numberAt(PICTURE, 0, 2), null);
    assert.equal(numberAt(PICTURE, 1, 1), CLOSED);
  });

  test("the extent is that of the open cells", () => {
    assert.deepEqual(extent(PICTURE), { size: 2, most: 2 });
    assert.deepEqual(extent({ ...PICTURE, holes: null }), { size: 4, most: 2 });
    assert.deepEqual(extent({ values: [-3, -1], rows: 1, cols: 2 }), { size: 3, most: 0 });
    assert.deepEqual(extent({ values: [NaN, Infinity, 0.5], rows: 1, cols: 3 }), { size: 0.5, most: 0.5 });
  });

  test("something is closed by its own −∞, by a hole or by padding", () => {
    const picture = { values: [1, -2, 0, Infinity], rows: 2, cols: 2 };
    const any = (more) => hasClosed({ ...picture, ...more });
    assert.deepEqual(
      [any({}), any({ holes: [1, 1, 1, 1] }), any({ realRows: 2, realCols: Infinity })],
      [false, false, false],
    );
    assert.deepEqual(
      [any({ values: new Float64Array([1, 1, CLOSED, 1]) }), any({ holes: [1, 1, 1, CLOSED] })],
      [true, true],
    );
    assert.deepEqual([any({ realRows: 1 }), any({ realCols: 1 })], [true, true]);
  });

  test("nothing open has no extent", () => {
    assert.deepEqual(extent({ values: [CLOSED, CLOSED], rows: 2, cols: 1 }), { size: 0, most: 0 });
  });

  test("the first colour is for the low end, the last for the high one, and beyond them too", () => {
    const scale = { low: -2, high: 2 };
    assert.deepEqual(
      [-3, -2, 0, 2, 7].map((value) => colorIndex(value, scale)),
      [0, 0, 128, 255, 255],
    );
    assert.equal(colorIndex(NaN, scale), 0);
  });

  test("on a root scale a quarter of the way is half of the colours, and small values lie apart", () => {
    const scale = { low: 0, high: 1, root: true };
    assert.deepEqual(
      [-1e-17, 0, 1 / 128, 0.25, 0.64, 1].map((value) => colorIndex(value, scale)),
      [0, 0, 23, 128, 204, 255],
    );
    assert.equal(colorIndex(1 / 128, { low: 0, high: 1 }), 2);
    assert.deepEqual([middleOf(scale), middleOf({ low: -1, high: 3 })], [0.25, 1]);
  });

  test("a picture is painted on the root scale of its numbers, whether cells share a pixel or not", () => {
    const canvas = document.createElement("canvas");
    const weights = { values: [0.25, 0.04, 0.64, 1], rows: 1, cols: 4 };
    const scale = { low: 0, high: 1, root: true };
    paint(canvas, weights, GREYS, scale, 4, 1);
    assert.deepEqual(indices(canvas.painted), [[128, 51, 204, 255]]);
    paint(canvas, weights, GREYS, scale, 2, 1);
    assert.deepEqual(indices(canvas.painted), [[128, 255]]);
  });

  test("a scale without length gives the first colour to its only value", () => {
    assert.equal(colorIndex(1, { low: 1, high: 1 }), 0);
  });

  test("by row, a row ends at its own largest number", () => {
    const picture = { values: [0.1, 0.2, 0, 0], rows: 2, cols: 2 };
    const scale = { low: 0, high: 1, byRow: true };
    assert.deepEqual(scaleOfRow(picture, scale, 0), { low: 0, high: 0.2 });
    assert.deepEqual(scaleOfRow(picture, scale, 1), { low: 0, high: 1 });
    assert.equal(scaleOfRow(picture, { low: 0, high: 1 }, 0).high, 1);
  });

  /** The colours of a painted image as indices of GREYS; null where it is transparent. */
  function indices({ width, height, data }) {
    const pixels = [...new Uint32Array(data.buffer)].map((pixel) => (pixel ? pixel & 0xff : null));
    return Array.from({ length: height }, (_, row) => pixels.slice(row * width, (row + 1) * width));
  }

  test("with a pixel for each cell a picture is painted as it is, and closed cells stay transparent", () => {
    const canvas = document.createElement("canvas");
    paint(canvas, { ...PICTURE, holes: null, realCols: 3 }, GREYS, { low: -9, high: 9 }, 3, 2);
    assert.deepEqual([canvas.width, canvas.height], [3, 2]);
    // (value + 9) · 255 / 18, rounded
    assert.deepEqual(indices(canvas.painted), [
      [142, 71, 255],
      [156, null, 255],
    ]);
  });

  test("with more pixels than cells a bitmap of one pixel a cell is drawn large", () => {
    const canvas = document.createElement("canvas");
    paint(canvas, { values: [0, 1], rows: 1, cols: 2 }, GREYS, { low: 0, high: 1 }, 20, 10);
    assert.deepEqual(canvas.place, [0, 0, 20, 10]);
    assert.deepEqual(indices(canvas.painted), [[0, 255]]);
  });

  test("where cells share a pixel the strongest shows: the largest weight, or the farthest from zero", () => {
    const canvas = document.createElement("canvas");
    const weights = { values: [0.2, 1, 0.4, 0], rows: 1, cols: 4 };
    paint(canvas, weights, GREYS, { low: 0, high: 1 }, 2, 1);
    assert.deepEqual(indices(canvas.painted), [[255, 102]]);
    const signed = { values: [0.5, -1, CLOSED, 0.6], rows: 1, cols: 4 };
    paint(canvas, signed, GREYS, { low: -1, high: 1 }, 2, 1);
    assert.deepEqual(indices(canvas.painted), [[0, 204]]);
  });

  test("padding is not painted", () => {
    const canvas = document.createElement("canvas");
    paint(canvas, { values: [1, 1, 1, 1], rows: 2, cols: 2, realRows: 1 }, GREYS, { low: 0, high: 1 }, 2, 2);
    assert.deepEqual(indices(canvas.painted), [
      [255, 255],
      [null, null],
    ]);
  });
});

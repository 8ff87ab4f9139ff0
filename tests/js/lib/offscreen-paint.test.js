import assert from "node:assert/strict";
import test from "node:test";
import { paintOffscreen } from "../../../static/js/lib/offscreen-paint.js";
import { paint, palette } from "../../../static/js/lib/paint.js";
import { newDocument } from "../support/document.js";

const document = newDocument();
const GREYS = palette("000000ffffff");
const SCALE = { low: 0, high: 1 };

test("a picture that is hung is the one that is painted, each its own", () => {
  for (const values of [
    [0, 1, 0.5, -Infinity],
    [1, 0, 0, 0],
  ]) {
    const [hung, painted] = [document.createElement("canvas"), document.createElement("canvas")];
    paintOffscreen(hung, { values, rows: 2, cols: 2 }, GREYS, SCALE, 2, 2);
    paint(painted, { values, rows: 2, cols: 2 }, GREYS, SCALE, 2, 2);
    assert.deepEqual([hung.width, hung.height], [2, 2]);
    assert.deepEqual(hung.painted.data, painted.painted.data);
  }
});

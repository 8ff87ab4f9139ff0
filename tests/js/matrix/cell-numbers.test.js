/** The numbers inside the cells of a picture. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { newDocument } from "../support/document.js";
import { NONE } from "../../../static/js/lib/coarse.js";
import { cellTexts } from "../../../static/js/matrix/cell-numbers.js";

const COLORS = /** @type {any} */ ({ ink: () => "black" });
const SCALE = { low: -1, high: 1 };
const CELLS = { cellWidth: 60, cellHeight: 30 };

/** @param {object} picture */
function writtenIn(picture) {
  const box = newDocument().createElement("div");
  cellTexts(box, /** @type {any} */ ({ rows: 1, cols: 2, ...picture }), COLORS, SCALE, CELLS, 3);
  return [...box.children].map(({ textContent }) => textContent);
}

test("numbers stand in their cells, and none in a picture that came without them", () => {
  assert.deepEqual(writtenIn({ values: Float64Array.of(0.25, -1) }), ["0.25", "−1.00"]);
  assert.deepEqual(writtenIn({ values: NONE, coarse: {} }), []);
});

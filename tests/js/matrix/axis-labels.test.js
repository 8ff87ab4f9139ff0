import assert from "node:assert/strict";
import test from "node:test";
import { axisLabels, gutters } from "../../../static/js/matrix/axis-labels.js";
import { stageOf } from "../../../static/js/core/page.js";
import { newDocument } from "../support/document.js";
import { page } from "../support/sent.js";
import { storeOf } from "../support/state.js";

const WIDE = 9; // CSS pixels of a letter
const document = newDocument();
const { createElement } = document;
const ruler = { getContext: () => ({ measureText: (text) => ({ width: WIDE * text.length }) }) };
globalThis.document.createElement = (name) => (name === "canvas" ? ruler : createElement.call(document, name));

const store = storeOf("cat"); // the₀ cat saw the₃ dog: 4 letters at most
const WORDS = 4 * WIDE + 8;

function besides(name, cols, width) {
  const stage = stageOf(page, name);
  const picture = { rows: 5, cols };
  const margin = gutters(store, store.get(), stage, picture, { width, height: 134, font: "" }, { gutter: 62 });
  const box = document.createElement("div");
  axisLabels(box, store, store.get(), stage, picture, { cellWidth: 2, cellHeight: 24 }, margin);
  const rows = box.querySelectorAll(".row");
  return { left: margin.left, rows: [...rows].map((label) => label.textContent) };
}

test("rows that are tokens are called by their words, however narrow the card is", () => {
  for (const name of ["x", "q", "middle", "hidden", "block_output"])
    for (const [cols, width] of [
      [64, 400],
      [64, 170],
      [64, 100],
      [256, 180],
    ])
      assert.deepEqual(besides(name, cols, width).rows, ["the₀", "cat", "saw", "the₃", "dog"], `${name} ${width}`);
});

test("words are clipped where that gives each column two pixels, and to no less than can be read", () => {
  assert.equal(besides("x", 64, 400).left, WORDS);
  assert.equal(besides("x", 64, 128 + 42).left, 42);
  assert.equal(besides("x", 64, 128 + 39).left, WORDS, "clipped, it would not be read");
  assert.equal(besides("hidden", 256, 180).left, WORDS, "clipped, columns would share pixels still");
});

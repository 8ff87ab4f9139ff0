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

test("turned key names thin out before they touch", () => {
  const keysAt = (cellWidth) => {
    const box = document.createElement("div");
    const margin = { left: 40, top: 50, shift: 0, rows: "tokens", cols: "upright" };
    const picture = { rows: 5, cols: 5 };
    const stage = stageOf(page, "weights");
    axisLabels(box, store, store.get(), stage, picture, { cellWidth, cellHeight: cellWidth }, margin);
    return [...box.querySelectorAll(".col")].map((label) => label.textContent);
  };
  assert.deepEqual(keysAt(11), ["the₀", "cat", "saw", "the₃", "dog"]);
  assert.deepEqual(keysAt(9), ["the₀", "saw", "dog"]);
});

test("rows of x and of outputs are tokens, those of q queries; an output without w_o is as wide as the heads", () => {
  const titles = (name, state = store.get()) => {
    const box = document.createElement("div");
    const margin = { left: 40, top: 14, shift: 0, rows: "tokens", cols: "none" };
    const cells = { cellWidth: 20, cellHeight: 20 };
    axisLabels(box, store, state, stageOf(page, name), { rows: 5, cols: 4 }, cells, margin);
    return [...box.querySelector(".axes").children].map((title) => title.textContent);
  };
  for (const name of ["x", "concat", "output", "block_output"]) assert.equal(titles(name)[1], "token ↓", name);
  for (const name of ["q", "weights", "head_outputs"]) assert.equal(titles(name)[1], "query ↓", name);
  assert.equal(titles("output")[0], "d_model →");
  const { answer } = store.get();
  const { shape } = answer.reply;
  const narrow = new Map([["layers.0.output", { shape: [1, 5, shape.d_model - 1] }]]);
  const other = { ...store.get(), answer: { ...answer, reply: answer.reply, tensors: narrow } };
  assert.equal(titles("output", other)[0], "h·d_v →");
});

import assert from "node:assert/strict";
import test from "node:test";
import { labelOf, nameOf, subscript } from "../../../static/js/matrix/names.js";
import { placeOf } from "../../../static/js/matrix/cell-place.js";
import { written } from "../../../static/js/matrix/written.js";
import { stageOf } from "../../../static/js/core/page.js";
import { answerOf } from "../support/made.js";
import { page } from "../support/sent.js";
import { storeOf } from "../support/state.js";

const store = storeOf("cat"); // the cat saw the dog
const state = store.get();
const stage = (name) => stageOf(page, name);

test("a row is called by its token, one that occurs twice with its place", () => {
  assert.deepEqual(
    [0, 1, 3].map((at) => nameOf(state, "query", at)),
    ["the₀", "cat", "the₃"],
  );
  assert.equal(subscript(120), "₁₂₀");
});

test("a feature is called by its axis and number, and what has no axis has no name", () => {
  assert.equal(nameOf(state, "d_k", 3), "d_k 3");
  assert.equal(nameOf(state, "none", 0), "");
});

test("without tokens, and beyond them, a row is a number", () => {
  assert.equal(nameOf({ ...state, answer: null }, "query", 2), "2");
  assert.equal(nameOf(state, "key", 7), "7");
});

test("a cell of a map is query → key, another is token · feature", () => {
  assert.equal(placeOf(store, state, { stage: "weights", row: 1, col: 2 }), "cat → saw");
  assert.equal(placeOf(store, state, { stage: "q", row: 1, col: 2 }), "cat · d_k 2");
});

test("a name that runs from right to left keeps to itself", () => {
  const answer = answerOf({}, { tokens: [["שלום", "cat"]] });
  const place = placeOf(store, { ...state, answer }, { stage: "weights", row: 0, col: 1 });
  assert.equal(place, "\u2068שלום\u2069 → cat");
});

test("a stage has its label, and a step between stages is named by theirs", () => {
  assert.equal(labelOf(store, "scaled_scores"), page.messages["stage.scaled_scores"]);
  const formula = labelOf(store, "exp(masked_scores)");
  assert.equal(formula, `exp(${page.messages["stage.masked_scores"]})`);
});

test("a closed cell is −∞ before the softmax, a weight of nothing after it, and blank elsewhere", () => {
  const write = (name, value) => written(store, stage(name), value, 2);
  assert.equal(write("masked_scores", null), "−∞");
  assert.equal(write("scaled_scores", -Infinity), "−∞");
  assert.equal(write("weights", null), page.messages["cell.masked"]);
  assert.equal(write("q", null), "–");
  assert.equal(write("q", -1.5), "−1.50");
});

test("a difference has its sign", () => {
  const difference = { ...stage("weights"), kind: "difference" };
  const write = (value) => written(store, difference, value, 2);
  assert.deepEqual([0.25, -0.25, 0, null].map(write), ["+0.25", "−0.25", "0.00", "–"]);
});

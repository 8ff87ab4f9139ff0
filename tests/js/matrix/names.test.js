import assert from "node:assert/strict";
import test from "node:test";
import { labelOf, nameOf, subscript } from "../../../static/js/matrix/names.js";
import { page } from "../support/sent.js";
import { storeOf } from "../support/state.js";

const store = storeOf("cat"); // the cat saw the dog
const state = store.get();

test("a row is called by its token, one that occurs twice with its place", () => {
  assert.deepEqual(
    [0, 1, 3].map((at) => nameOf(state, "query", at)),
    ["the₀", "cat", "the₃"],
  );
  assert.equal(subscript(120), "₁₂₀");
});

test("a byte is called by its character, without the space before it", () => {
  const reply = { ...state.answer.reply, tokens: [["a", "<20><F0><9F>", "<98><80>"]], lengths: [3] };
  const bytes = { ...state, answer: { reply: { ...reply, continues: [[false, false, true]] } } };
  assert.deepEqual(
    [0, 1, 2].map((at) => nameOf(/** @type {any} */ (bytes), "query", at)),
    ["a", "😀₁", "😀₂"],
  );
});

test("a feature is called by its axis and number, and what has no axis has no name", () => {
  assert.equal(nameOf(state, "d_k", 3), "d_k 3");
  assert.equal(nameOf(state, "none", 0), "");
});

test("without tokens, and beyond them, a row is a number", () => {
  assert.equal(nameOf({ ...state, answer: null }, "query", 2), "2");
  assert.equal(nameOf(state, "key", 7), "7");
});

test("a stage has its label, and a step between stages is named by theirs", () => {
  assert.equal(labelOf(store, "scaled_scores"), page.messages["stage.scaled_scores"]);
  const formula = labelOf(store, "exp(masked_scores)");
  assert.equal(formula, `exp(${page.messages["stage.masked_scores"]})`);
});

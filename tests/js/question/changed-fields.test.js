import assert from "node:assert/strict";
import test from "node:test";
import { changedText } from "../../../static/js/question/changed-fields.js";
import { page } from "../support/sent.js";
import { storeOf } from "../support/state.js";

const summaryOf = (question, model = {}) => {
  const store = storeOf("cat");
  const asked = { ...page.defaults, ...question, model: { ...page.defaults.model, ...model } };
  return changedText(store, { question: asked });
};

test("what is seldom changed is counted where it is not as by default", () => {
  assert.equal(summaryOf({}), "");
  assert.equal(summaryOf({ window: 3 }, { bias: true }), "2 changed");
  assert.equal(summaryOf({ global_tokens: 1, stride: 2, block_size: 4 }), "3 changed");
});

test("what stands in the drawer by itself does not count", () => {
  assert.equal(summaryOf({ causal: false, temperature: 2 }, { seed: 3, num_heads: 1 }), "");
  const trained = { ...page.models.trained, source: "trained", task: "agree", rate: 1, step: 3 };
  assert.equal(changedText(storeOf("cat"), { question: { ...page.defaults, model: trained } }), "");
});

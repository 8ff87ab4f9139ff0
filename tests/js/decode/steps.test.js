import assert from "node:assert/strict";
import test from "node:test";
import { keysOf, obstacleOf, prefixOf, stepsOf, tokensMade } from "../../../static/js/decode/steps.js";
import { page } from "../support/sent.js";

const answer = (n, more = {}) => ({
  reply: { lengths: [n], shape: { d_k: 4, d_v: 4 }, context_lengths: null, ...more },
});
const state = (n, view = {}, question = {}) => ({
  answer: answer(n),
  question: { prefix: 0, causal: true, context: null, context_x: null, context_tokens: null, ...question },
  view: { batch: 0, prefill: 0, decoded: null, ...view },
});

test("without a prefill every token is a step, and the last one is seen", () => {
  assert.deepEqual(stepsOf(state(5)), { n: 5, prefill: 0, count: 5, at: 4, whole: true });
});

test("a prefill is the first step", () => {
  const { count, at, prefill } = stepsOf(state(5, { prefill: 3, decoded: 1 }));
  assert.deepEqual([count, at, prefill], [3, 1, 3]);
  assert.deepEqual(stepsOf(state(5, { prefill: 9 })).count, 1);
  assert.equal(stepsOf(state(5, { decoded: 40 })).at, 4);
});

test("what every query sees is there first", () => {
  assert.deepEqual([prefixOf({ prefix: 0 }), prefixOf({ prefix: 1 }), prefixOf({ prefix: 3 })], [0, 0, 3]);
  assert.equal(stepsOf(state(5, { prefill: 1 }, { prefix: 4 })).prefill, 4);
});

test("many numbers come a step at a time", () => {
  assert.equal(stepsOf(state(1000)).whole, false);
});

test("tokens come one after the other only where nobody looks ahead, in one text", () => {
  assert.equal(obstacleOf(state(5), page), null);
  assert.equal(obstacleOf(state(5, {}, { causal: false }), page).field, "causal");
  assert.equal(obstacleOf({ ...state(5), answer: answer(5, { context_lengths: [3] }) }, page).field, "context");
  const crossed = (model) => obstacleOf(state(5, {}, { context: "a dog", model }), page);
  assert.equal(crossed({ source: "seeded" }).field, "context");
  const pair = { ...page, installed: [{ name: "pair", causal: true, encoder_layers: 2 }] };
  const model = { source: "installed", name: "pair" };
  assert.equal(obstacleOf({ ...state(5, {}, { context: "a dog", model }), answer: null }, pair), null);
});

test("few tokens of a step are called by their names", () => {
  assert.deepEqual(tokensMade({ rows: [4, 6] }), [4, 5]);
  assert.equal(tokensMade({ rows: [0, 4] }), null);
});

test("a step makes its own keys, and none where those of a context are there", () => {
  const k = (rows) => [Array(rows).fill([1, 2])];
  assert.deepEqual(keysOf({ cached: 4, k: k(5) }), [4, 5]);
  assert.deepEqual(keysOf({ cached: 0, k: k(3) }), [0, 3], "the first step makes all of the context");
  assert.deepEqual(keysOf({ cached: 3, k: k(3) }), [3, 3], "and a later one none");
});

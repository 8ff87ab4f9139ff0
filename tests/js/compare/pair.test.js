import assert from "node:assert/strict";
import test from "node:test";
import {
  differenceOf,
  showsStage,
  answersOf,
  showsWords,
  hasSplitWords,
  toPieces,
} from "../../../static/js/compare/pair.js";
import { stageOf } from "../../../static/js/core/page.js";
import { answerOf } from "../support/made.js";
import { answer, page, question } from "../support/sent.js";

const side = (name) => ({ answer: answer(name), question: question(name), status: "ready" });
const comparison = () => ({ a: side("cat"), b: side("dog"), align: "position" });

test("the difference is made once for a pair of answers, and waits for both", () => {
  const state = comparison();
  assert.equal(differenceOf(page, state), differenceOf(page, state));
  const edit = { ...state, align: "edit" };
  assert.notEqual(differenceOf(page, edit), differenceOf(page, state));
  assert.equal(differenceOf(page, { ...state, b: { answer: null } }), null);
});

test("a block output that repeats the output on both sides says nothing", () => {
  const state = comparison();
  assert.equal(showsStage(state, stageOf(page, "weights")), true);
  assert.equal(showsStage(state, stageOf(page, "block_output")), false);
  assert.equal(showsStage({ ...state, b: { ...state.b, status: "empty" } }, stageOf(page, "weights")), false);
});

const WEIGHTS = [
  [1, 0, 0],
  [0.5, 0.5, 0],
  [0.2, 0.3, 0.5],
];
const of = (tokens, continues) =>
  answerOf({ weights: [[WEIGHTS]] }, { shape: { n: 3, m: 3 }, tokens: [tokens], lengths: [3], continues });
const VIEW = { batch: 0, layer: 0, head: 0, tokens: "words", keys: "sum", queries: "mean" };

test("two answers are words as soon as one of them has pieces, and a cell goes back to pieces", () => {
  const [one, other] = [of([" un", "do", " it"], [[false, true, false]]), of(["undo", "it", "now"])];
  const seen = { a: { answer: one }, b: { answer: other }, view: VIEW };
  assert.equal(hasSplitWords(seen), true);
  assert.equal(showsWords({ ...seen, view: { ...VIEW, tokens: "pieces" } }), false);
  assert.equal(hasSplitWords({ ...seen, a: seen.b }), false);
  assert.equal(answersOf({ ...seen, a: { answer: null } }), null);
  const [a, b] = answersOf(seen);
  assert.equal(answersOf(seen)[0], a);
  assert.deepEqual([a.reply.shape.n, b.reply.shape.n], [2, 3]);
  const cell = { stage: "weights", row: 0, col: 1 };
  assert.deepEqual(toPieces(page, a, cell, VIEW), { stage: "weights", row: 1, col: 2 });
  assert.deepEqual(toPieces(page, b, cell, VIEW), cell);
  assert.equal(toPieces(page, one, cell, VIEW), cell);
});

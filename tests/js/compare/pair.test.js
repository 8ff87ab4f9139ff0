import assert from "node:assert/strict";
import test from "node:test";
import { differenceOf, showsStage } from "../../../static/js/compare/pair.js";
import { stageOf } from "../../../static/js/core/page.js";
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

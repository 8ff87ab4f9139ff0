import assert from "node:assert/strict";
import test from "node:test";
import { CellExplanation } from "../../../static/js/walkthrough/cell-operands.js";
import { settle } from "../support/clock.js";
import { later, offline, serve } from "../support/server.js";
import { stateOf } from "../support/state.js";

function begin(reply) {
  const asked = serve(reply);
  const calls = { times: 0 };
  const made = new CellExplanation(() => (calls.times += 1));
  return { asked, calls, made };
}
const state = stateOf("cat");
const output = (row, col) => ({ stage: "output", head: 0, row, col });

test("the operands of a number of the output are asked for once, and given when they come", async () => {
  const { asked, calls, made } = begin(() => ({ value: 1 }));
  assert.equal(made.of(state, output(1, 3)), null);
  assert.equal(made.of(state, output(1, 3)), null);
  await settle();
  assert.deepEqual([made.of(state, output(1, 3)), calls.times, asked.length], [{ value: 1 }, 1, 1]);
  assert.match(asked[0].path, /\/cells\/output\?.*row=1&col=3$/);
});

test("another number forgets those of the one before, and what comes for that one is dropped", async () => {
  const slow = later();
  const { calls, made } = begin(({ path }) => (path.endsWith("col=0") ? slow.reply : { value: 2 }));
  made.of(state, output(0, 0));
  assert.equal(made.of(state, output(0, 1)), null);
  await settle();
  slow.give({ value: 1 });
  await settle();
  assert.deepEqual([made.of(state, output(0, 1)), calls.times], [{ value: 2 }, 1]);
});

test("without them the output is shown in strips, without an error", async () => {
  const { calls, made } = begin(offline);
  made.of(state, output(0, 0));
  await settle();
  assert.deepEqual([made.of(state, output(0, 0)), calls.times], [null, 0]);
});

test("before there is an answer nothing is asked", () => {
  const { asked, made } = begin(offline);
  assert.equal(made.of({ ...state, answer: null }, output(0, 0)), null);
  assert.equal(asked.length, 0);
});

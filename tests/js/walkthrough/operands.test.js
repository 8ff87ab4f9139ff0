import assert from "node:assert/strict";
import test from "node:test";
import { PictureAnswer, keyOf } from "../../../static/js/core/picture-answer.js";
import { QuantizedMap } from "../../../static/js/lib/quantized.js";
import { CellExplanation, requestOperands } from "../../../static/js/walkthrough/operands.js";
import { settle } from "../support/clock.js";
import { answer } from "../support/sent.js";
import { later, offline, serve } from "../support/server.js";
import { stateOf, storeOf } from "../support/state.js";

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

const STAGES = [
  "x",
  "q",
  "k",
  "v",
  "scores",
  "scaled_scores",
  "masked_scores",
  "weights",
  "head_outputs",
  "concat",
  "output",
];
const subject = { row: 3, col: 1, feature: 0, out: 0 };

test("of numbers all are here", () => {
  assert.equal(requestOperands(storeOf("cat"), stateOf("cat"), subject), true);
});

test("of pictures the rows and columns that are shown are asked for at once", () => {
  const asked = [];
  const numbers = { of: () => () => undefined, want: (...all) => (asked.push(all), true) };
  const pictures = new Map();
  const state = { ...stateOf("cat"), answer: new PictureAnswer(answer("cat").reply, 0, pictures, numbers) };
  const store = storeOf("cat");
  assert.equal(requestOperands(store, state, subject), false, "there is no picture yet");
  for (const name of STAGES) {
    const frame = { cells: [5, 5], points: [5, 5], side: [1, 1], range: [0, 1] };
    const coarse = new QuantizedMap(new Uint8Array(25), frame);
    coarse.setSource(numbers, { stage: name });
    pictures.set(keyOf({ name, batch: 0, layer: 0, head: 0 }), coarse);
  }
  const later = { ...state, answer: new PictureAnswer(answer("cat").reply, 0, pictures, numbers) };
  assert.equal(requestOperands(store, later, subject), true);
  const [[reader, regions]] = asked;
  assert.equal(reader, "operands");
  const of = (name) => regions.filter(({ stage }) => stage === name).map(({ rows, cols }) => [rows, cols]);
  assert.deepEqual(of("weights"), [
    [
      [3, 4],
      [0, 5],
    ],
  ]);
  assert.deepEqual(of("x"), [
    [
      [3, 4],
      [0, 5],
    ],
    [
      [1, 2],
      [0, 5],
    ],
  ]);
  assert.deepEqual(of("v"), [
    [
      [0, 5],
      [0, 1],
    ],
  ]);
});

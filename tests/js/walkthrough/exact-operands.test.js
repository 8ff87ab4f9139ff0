import assert from "node:assert/strict";
import test from "node:test";
import { PictureAnswer, keyOf } from "../../../static/js/core/picture-answer.js";
import { Coarse } from "../../../static/js/lib/quantized.js";
import { requestOperands } from "../../../static/js/walkthrough/exact-operands.js";
import { answer } from "../support/sent.js";
import { stateOf, storeOf } from "../support/state.js";

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
    const coarse = new Coarse(new Uint8Array(25), frame);
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

import assert from "node:assert/strict";
import test from "node:test";
import { LeftOutAnswer } from "../../../static/js/core/left-out-answer.js";
import { stageOf } from "../../../static/js/core/page.js";
import { answerOf } from "../support/made.js";
import { page } from "../support/sent.js";

const SELECTION = { batch: 0, layer: 0, head: 0 };
const WEIGHTS = [
  [1, 0, 0],
  [0.5, 0.5, 0],
  [0.5, 0.2, 0.3],
];
const MASKED = [
  [7, -Infinity, -Infinity],
  [7, 7, -Infinity],
  [7, 7, 7],
];

test("weights are without a key, masked scores have it closed, and other stages are as they were", () => {
  const whole = answerOf({ weights: [[WEIGHTS]], masked_scores: [[MASKED]] }, { shape: { n: 3, m: 3 }, lengths: [3] });
  const past = new LeftOutAnswer(whole, [0]);
  const block = (name) => past.block(stageOf(page, name), SELECTION);
  const { values, left } = block("weights");
  assert.deepEqual(
    Array.from(values).map((value) => Number(value.toFixed(12))),
    [0, 0, 0, 0, 1, 0, 0, 0.4, 0.6],
  );
  assert.deepEqual(left, [0]);
  assert.deepEqual(Array.from(block("masked_scores").values).map(Number.isFinite), [
    false,
    false,
    false,
    false,
    true,
    false,
    false,
    true,
    true,
  ]);
  assert.equal(block("scores"), whole.block(stageOf(page, "scores"), SELECTION));
  assert.equal(past.ownHead(stageOf(page, "weights"), 0), 0);
  assert.equal(past.at(0).left, past.left);
});

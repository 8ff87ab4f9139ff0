import assert from "node:assert/strict";
import test from "node:test";
import { leftOutKeys, skipOf, withoutKeys, LeftOutAnswer } from "../../../static/js/core/left-out-keys.js";
import { stageOf } from "../../../static/js/core/page.js";
import { answerOf } from "../support/made.js";
import { page } from "../support/sent.js";
import { stateOf } from "../support/state.js";

const CLOSED = -Infinity;

test("keys are left out in tabs that show weights, and only those that there are", () => {
  const skip = [0, 3, 99];
  for (const tab of ["stages", "heads", "lines", "map"]) {
    assert.deepEqual(leftOutKeys(stateOf("cat", { tab, skip })), [0, 3]);
    assert.equal(skipOf(stateOf("cat", { tab, skip })), "0_3");
  }
  assert.deepEqual(leftOutKeys(stateOf("cat", { tab: "map", map: "scores", skip })), []);
  assert.deepEqual(leftOutKeys(stateOf("cat", { tab: "decode", skip })), []);
  assert.equal(skipOf(stateOf("cat", { tab: "heads" })), "");
  assert.deepEqual(leftOutKeys({ ...stateOf("cat", { tab: "heads", skip }), answer: null }), []);
  const long = stateOf("cat", { tab: "heads", skip });
  const reply = { ...long.answer.reply, whole_tokens: 4096 };
  assert.deepEqual(leftOutKeys({ ...long, answer: { reply } }), []);
});

test("their cells are closed and the rest of each row is divided by its sum", () => {
  const values = Float64Array.of(1, 0, 0.75, 0.25, 0.5, 0.5);
  const holes = Float64Array.of(0, CLOSED, 0, 0, 0, 0);
  const picture = { rows: 3, cols: 2, values, holes, size: 1, most: 1 };
  const past = withoutKeys(picture, [0, 7]);
  assert.deepEqual(Array.from(past.values), [0, 0, 0, 1, 0, 1]);
  assert.deepEqual(Array.from(past.holes), [CLOSED, CLOSED, CLOSED, 0, CLOSED, 0]);
  assert.deepEqual([past.left, past.most], [[0], 1]);
  assert.deepEqual([...values], [1, 0, 0.75, 0.25, 0.5, 0.5]);
  assert.equal(withoutKeys(picture, []).values, values);
});

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

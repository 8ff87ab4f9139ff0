import assert from "node:assert/strict";
import test from "node:test";
import { AllHeadsChange, mapDifference } from "../../../static/js/change/previous-heads.js";
import { answerOf } from "../support/made.js";
import { stateOf } from "../support/state.js";

const SHUT = -Infinity;
const MASK = [
  [1, SHUT],
  [1, 1],
];
/** Two heads over two tokens, the mask as given. */
const made = (heads, mask = MASK, trace = "a") =>
  answerOf({ weights: [heads], masked_scores: [[mask, mask]] }, { shape: { num_heads: 2 }, trace: trace.repeat(32) });
const every = (answer) => ({ answer, masked: { answer, layer: 0, head: 0 } });
const WAS = () =>
  every(
    made([
      [
        [1, 0],
        [0.5, 0.5],
      ],
      [
        [1, 0],
        [0.25, 0.75],
      ],
    ]),
  );
const NOW = () =>
  every(
    made(
      [
        [
          [1, 0],
          [0.75, 0.25],
        ],
        [
          [1, 0],
          [0.25, 0.75],
        ],
      ],
      MASK,
      "b",
    ),
  );
const place = (head) => ({ batch: 0, layer: 0, head });

test("now − before, closed where both are, and a weight of 0 where one is", () => {
  const was = { values: [1, 0, 0.5, 0.5], holes: [1, SHUT, 1, 1], rows: 2, cols: 2 };
  const now = { values: [1, 0, 1, 0], holes: [1, SHUT, 1, SHUT], rows: 2, cols: 2 };
  assert.deepEqual([...mapDifference(was, now)], [0, SHUT, 0.5, -0.5]);
});

test("every head has its change, on one scale for all", () => {
  const change = new AllHeadsChange(WAS(), NOW());
  assert.deepEqual([...change.block(null, place(0)).values], [0, SHUT, 0.25, -0.25]);
  assert.deepEqual([...change.block(null, place(1)).values], [0, SHUT, 0, 0]);
  assert.equal(change.largestIn(0), 0.25);
  assert.deepEqual(change.extent(null, place(1)), { size: 0.25, most: 0.25 });
  assert.equal(change.isSame(0), false);
});

test("where no weight changed rounding has no colour", () => {
  const change = new AllHeadsChange(WAS(), WAS());
  assert.equal(change.isSame(0), true);
  assert.deepEqual(change.extent(null, place(0)), { size: 1, most: 1 });
});

test("heads seen together are compared as they are seen, by their mean", () => {
  const change = new AllHeadsChange(WAS(), NOW());
  const state = {
    ...stateOf("cat", {
      tab: "heads",
      heads: [
        [0, 0],
        [0, 1],
      ],
    }),
    answer: change.now.answer,
  };
  const pair = change.together(state);
  assert.deepEqual(Array.from(pair.was.values), [1, 0, 0.375, 0.625]);
  assert.deepEqual(Array.from(pair.now.values), [1, 0, 0.5, 0.5]);
  assert.deepEqual(Array.from(pair.change.values), [0, SHUT, 0.125, -0.125]);
  assert.equal(pair.change.size, 0.25);
  assert.equal(change.together(state), pair);
});

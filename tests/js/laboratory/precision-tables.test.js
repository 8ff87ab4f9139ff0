import assert from "node:assert/strict";
import test from "node:test";
import { breakingScale, reachOf } from "../../../static/js/laboratory/precision-tables.js";
import { page } from "../support/sent.js";
import { answerOf } from "../support/made.js";
import { stateOf } from "../support/state.js";

test("an error reaches along 18 powers of ten, and an infinite one to the end", () => {
  assert.deepEqual([0, 1e-30, 1e-18, 1e-9, 1, 1e5, null].map(reachOf), [0, 0, 0, 0.5, 1, 1, 1]);
});

/** The scale for a last row of such scores. */
function scale(row, more = {}) {
  const rows = [[0, 0], row];
  const said = { temperature: 1, ...more };
  const answer = answerOf({ scores: [[rows]], scaled_scores: [[rows]], masked_scores: [[rows]] }, said);
  return breakingScale(page, { ...stateOf("cat"), answer });
}

test("a round scale takes the largest score beyond what exp can hold", () => {
  assert.equal(scale([1, 4]), 200);
  assert.equal(scale([1, 3]), 300); // 266.7, rounded up to one digit
  assert.equal(scale([-Infinity, 2]), 400);
  assert.equal(scale([1, 4], { temperature: 0.5 }), 100);
});

test("it is at least 1 and at most a million, whatever the scores", () => {
  assert.equal(scale([0, 5000]), 1);
  assert.equal(scale([0, 1e-9]), 1e6);
});

test("exp of it is beyond every precision, in float64 too", () => {
  for (const score of [0.37, 1, 12.5, 99]) assert.equal(Math.exp(scale([0, score]) * score), Infinity);
});

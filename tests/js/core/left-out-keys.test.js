import assert from "node:assert/strict";
import test from "node:test";
import { leftOutKeys, skipOf, withoutKeys } from "../../../static/js/core/left-out-keys.js";
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

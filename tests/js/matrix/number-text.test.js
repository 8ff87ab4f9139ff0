import assert from "node:assert/strict";
import test from "node:test";
import { stageOf } from "../../../static/js/core/page.js";
import { formatCell } from "../../../static/js/matrix/number-text.js";
import { page } from "../support/sent.js";
import { storeOf } from "../support/state.js";

const store = storeOf("cat"); // the cat saw the dog
const stage = (name) => stageOf(page, name);

test("a closed cell is −∞ before the softmax, a weight of nothing after it, and blank elsewhere", () => {
  const write = (name, value) => formatCell(store, stage(name), value, 2);
  assert.equal(write("masked_scores", null), "−∞");
  assert.equal(write("scaled_scores", -Infinity), "−∞");
  assert.equal(write("weights", null), page.messages["cell.masked"]);
  assert.equal(write("q", null), "–");
  assert.equal(write("q", -1.5), "−1.50");
});

test("a difference has its sign", () => {
  const difference = { ...stage("weights"), kind: "difference" };
  const write = (value) => formatCell(store, difference, value, 2);
  assert.deepEqual([0.25, -0.25, 0, null].map(write), ["+0.25", "−0.25", "0.00", "–"]);
});

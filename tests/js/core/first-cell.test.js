import assert from "node:assert/strict";
import test from "node:test";
import { firstCell } from "../../../static/js/core/first-cell.js";
import { answerOf } from "../support/made.js";
import { storeOf } from "../support/state.js";

const SHUT = -Infinity;
/** A store of an answer over words, with the weights of the last query. */
function over(words, last, more = {}) {
  const { context_lengths } = more;
  const n = words.length;
  const m = last.length;
  const weights = words.map(() => last);
  const masked = weights.map((row) => row.map((weight) => (weight === SHUT ? SHUT : 0)));
  const numbers = weights.map((row) => row.map((weight) => (weight === SHUT ? 0 : weight)));
  const said = { tokens: [words], lengths: [n], shape: { n, m }, ...more, context_lengths: context_lengths ?? null };
  return storeOf("cat", {}, { answer: answerOf({ weights: [[numbers]], masked_scores: [[masked]] }, said) });
}
const worth = (store) => firstCell(store, store.get());

test("in a sentence that has both, it is where “it” looks at “animal”", () => {
  assert.deepEqual(worth(over(["animal", "slept", "it", "was"], [0.1, 0.8, 0, 0.1])), { row: 2, col: 0 });
});

test("else it is the largest weight of the last query, not on itself and not masked", () => {
  assert.deepEqual(worth(over(["a", "b", "c"], [0.1, 0.2, 0.7])), { row: 2, col: 1 });
  assert.deepEqual(worth(over(["a", "b", "c"], [0.3, SHUT, 0.7])), { row: 2, col: 0 });
});

test("a query that sees itself alone is looked at there", () => {
  assert.deepEqual(worth(over(["a"], [1])), { row: 0, col: 0 });
  assert.deepEqual(worth(over(["a", "b"], [SHUT, 1])), { row: 1, col: 1 });
});

test("beside a context no key is the query itself", () => {
  const store = over(["a"], [0.9, 0.1], { context_tokens: [["p", "q"]], context_lengths: [2] });
  assert.deepEqual(worth(store), { row: 0, col: 0 });
});

test("padding is not the last query", () => {
  const store = over(["a", "b", null], [0.2, 0.8, 0]);
  store.get().answer.reply.lengths[0] = 2;
  assert.deepEqual(worth(store), { row: 1, col: 0 });
});

test("nothing is worth a look before there is an answer", () => {
  assert.equal(worth(storeOf("cat", {}, { answer: null })), null);
});

import assert from "node:assert/strict";
import test from "node:test";
import { unpaired } from "../../../static/js/compare/question-side.js";
import { Difference } from "../../../static/js/difference/difference.js";
import { answerOf } from "../support/made.js";
import { page } from "../support/sent.js";

const side = (tokens, shape = {}, more = {}) => {
  const lengths = tokens.map((each) => each.length);
  const n = Math.max(...lengths);
  return answerOf({}, { tokens, lengths, shape: { batch: tokens.length, n, m: n, ...shape }, ...more });
};
const between = (a, b, align = "edit") => new Difference(page, a, b, align);

test("equal sides have nothing unpaired", () => {
  const difference = between(side([["a", "b"]]), side([["a", "c"]]));
  assert.deepEqual([unpaired(difference, "a", 0), unpaired(difference, "b", 0)], [[], []]);
});

test("what one side has more of is left out on that side alone", () => {
  const difference = between(side([["a"]], { num_heads: 4, d_model: 8 }), side([["a"]], { num_heads: 2, d_model: 16 }));
  assert.deepEqual(unpaired(difference, "a", 0), [{ what: "num_heads", from: 2, to: 3 }]);
  assert.deepEqual(unpaired(difference, "b", 0), [{ what: "d_model", from: 8, to: 15 }]);
});

test("sentences are counted from 1", () => {
  const difference = between(side([["a"], ["b"], ["c"]]), side([["a"]]));
  assert.deepEqual(unpaired(difference, "a", 0), [{ what: "batch", from: 2, to: 3 }]);
});

test("tokens without a counterpart are named", () => {
  const difference = between(side([["the", "big", "cat"]]), side([["the", "cat", "saw"]]));
  assert.deepEqual(unpaired(difference, "a", 0), []); // three words beside three: two take another's place
  const longer = between(side([["the", "big", "cat"]]), side([["the", "cat"]]));
  assert.deepEqual(unpaired(longer, "a", 0), [{ what: "tokens", tokens: ["big"] }]);
  assert.deepEqual(unpaired(longer, "b", 0), []);
});

test("tokens without names are shown by their place", () => {
  const bare = (n) => answerOf({}, { tokens: null, lengths: [n], shape: { n, m: n } });
  assert.deepEqual(unpaired(between(bare(3), bare(1), "position"), "a", 0), [{ what: "tokens", tokens: ["1", "2"] }]);
});

test("the keys of a context are shown as well", () => {
  const context = (words) => ({ context_tokens: [words], context_lengths: [words.length] });
  const a = side([["a"]], { m: 2 }, context(["p", "q"]));
  const b = side([["a"]], { m: 1 }, context(["p"]));
  assert.deepEqual(unpaired(between(a, b), "a", 0), [{ what: "tokens", tokens: ["q"] }]);
});

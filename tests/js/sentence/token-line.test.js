import assert from "node:assert/strict";
import test from "node:test";
import { isRandom } from "../../../static/js/core/question.js";
import { formatCaption, captionOf } from "../../../static/js/sentence/token-line.js";
import { newDocument } from "../support/document.js";
import { answerOf } from "../support/made.js";
import { stateOf } from "../support/state.js";

newDocument();
const t = (/** @type {string} */ key) => (key === "line" ? "{token} looks at {other}, {weight}." : key);

test("a line marks tokens and weights, and shortens a token that would fill the page", () => {
  const line = document.createElement("p");
  line.append(...formatCaption(t, "line", { token: "cat", other: "𝒳".repeat(100), weight: "0.5" }));
  assert.equal(line.textContent, `cat looks at ${"𝒳".repeat(60)}…, 0.5.`);
  assert.equal(line.querySelectorAll("em").length, 2);
  assert.equal(line.querySelector("b")?.textContent, "0.5");
});

const WORDS = ["the", "cat", "saw", "the"];
const NUMBERS = WORDS.map(() => WORDS.map(() => 0.25));

/** The caption of a query with one largest weight. */
function captionOfQuery(at, best, { words = WORDS, axis = "query", entries = 3, source = "crafted", ...said } = {}) {
  const shape = { n: words.length, m: words.length };
  const answer = answerOf({ weights: [[NUMBERS]] }, { tokens: [words], lengths: [words.length], shape, ...said });
  const most = best === null ? null : { at: best, weight: 0.856 };
  const state = stateOf("cat");
  const question = { ...state.question, model: { ...state.question.model, source } };
  return captionOf({ ...state, question, answer }, { axis, at, entries: Array(entries).fill(most), best: most });
}

test("the key that followed the query's word before is said to have done so", () => {
  const { key, values } = captionOfQuery(3, 1);
  assert.equal(key, "followed");
  assert.deepEqual(values, { layer: 0, head: 0, token: "the₃", other: "cat", weight: "0.86", word: "the" });
});

test("a line break that the key followed is named by its sign, and is not a tab or a space", () => {
  const { key, values } = captionOfQuery(3, 1, { words: ["\n", "cat", "saw", "\n"] });
  assert.deepEqual([key, values.word], ["followed", "↵"]);
  assert.equal(captionOfQuery(3, 1, { words: ["\t", "cat", "saw", "\n"] }).key, "looks");
});

test("an equal byte of another character is not the same word", () => {
  const [first, second, end] = ["<D9>", "<D8>", "<88>"];
  const continues = [[false, true, false, false, true]];
  const words = [first, end, "a", second, end];
  assert.equal(captionOfQuery(4, 2, { words, continues }).key, "looks");
  assert.equal(captionOfQuery(4, 1, { words, continues }).key, "looks");
  assert.equal(captionOfQuery(4, 2, { words: [first, end, "a", first, end], continues }).key, "followed");
});

test("what else is true of its place is said, and nothing that is not", () => {
  assert.equal(captionOfQuery(1, 1).key, "itself");
  assert.equal(captionOfQuery(3, 0).key, "same");
  assert.equal(captionOfQuery(2, 1).key, "previous");
  assert.equal(captionOfQuery(2, 0).key, "first");
  assert.equal(captionOfQuery(1, 2).key, "next");
  assert.equal(captionOfQuery(1, 3).key, "looks");
});

test("a query that can see one key alone is no discovery, and one that sees none is blind", () => {
  assert.equal(captionOfQuery(0, 0, { entries: 1 }).key, "alone");
  assert.equal(captionOfQuery(2, null).key, "blind");
  assert.equal(captionOfQuery(2, null, { axis: "key" }).key, "unseen");
});

test("of a key the query with the largest weight is named", () => {
  const { key, values } = captionOfQuery(1, 3, { axis: "key" });
  assert.deepEqual([key, values.token, values.other], ["seen_by", "cat", "the₃"]);
});

test("of random weights nothing is said about words, but for what the mask leaves them", () => {
  const source = "seeded";
  assert.equal(isRandom(stateOf("cat").question), true);
  assert.equal(isRandom(stateOf("induction").question), false);
  assert.equal(captionOfQuery(3, 1, { source }).key, "largest");
  assert.equal(captionOfQuery(1, 3, { source, axis: "key" }).key, "largest_key");
  assert.equal(captionOfQuery(0, 0, { source, entries: 1 }).key, "alone");
  assert.equal(captionOfQuery(2, null, { source }).key, "blind");
});

test("places of two texts are not compared, nor of tokens without words", () => {
  const context = { context_tokens: [["die", "Katze", "sah", "die"]], context_lengths: [4] };
  assert.equal(captionOfQuery(1, 0, context).key, "looks");
  assert.equal(captionOfQuery(3, 1, { tokens: null }).key, "looks");
});

test("a piece is named without the space before it", () => {
  assert.equal(captionOfQuery(2, 1, { words: [" a", " b", " c"] }).values.other, "b");
});

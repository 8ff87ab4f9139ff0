import assert from "node:assert/strict";
import test from "node:test";
import { selectedToken, currentWeights, tokensOf } from "../../../static/js/sentence/weight-row.js";
import { answerOf } from "../support/made.js";
import { page } from "../support/sent.js";
import { stateOf } from "../support/state.js";

const SHUT = -Infinity;
const WEIGHTS = [
  [1, 0, 0],
  [0.2, 0.8, 0],
  [0.5, 0.1, 0.4],
];
const MASKED = WEIGHTS.map((row, at) => row.map((_, col) => (col > at ? SHUT : 0)));
const SAID = { tokens: [["a", "b", "a"]], lengths: [3], shape: { n: 3, m: 3 } };
const answer = answerOf({ weights: [[WEIGHTS]], masked_scores: [[MASKED]] }, SAID);
const state = (more = {}, view = {}) => ({ ...stateOf("cat", view), answer, ...more });
const place = ({ axis, at }) => [axis, at];

test("the token under the pointer is seen, with the weights that are open to it", () => {
  const seen = currentWeights(page, state({ pointed: { axis: "query", at: 1 } }));
  assert.deepEqual(seen, {
    axis: "query",
    at: 1,
    entries: [
      { at: 0, weight: 0.2 },
      { at: 1, weight: 0.8 },
    ],
    best: { at: 1, weight: 0.8 },
  });
});

test("so is that of a cell under the pointer, in any picture of this head", () => {
  const over = (stage, row, col, of) => state({ hover: { stage, row, col, of } });
  assert.deepEqual(place(currentWeights(page, over("weights", 2, 0))), ["query", 2]);
  assert.deepEqual(place(currentWeights(page, over("q", 1, 0))), ["query", 1]);
  assert.deepEqual(place(currentWeights(page, over("k", 1, 0))), ["key", 1]);
  assert.deepEqual(place(currentWeights(page, over("weights", 0, 0, { layer: 0, head: 1 }))), ["query", 1]);
});

test("else the selected one: pinned, or picked", () => {
  assert.deepEqual(place(currentWeights(page, state({}, { cell: { stage: "scores", row: 2, col: 1 } }))), ["query", 2]);
  assert.deepEqual(place(currentWeights(page, state({}, { picked: { axis: "key", at: [0, 2] } }))), ["key", 2]);
});

test("else the one whose look is worth most", () => {
  assert.deepEqual(selectedToken(page, state()), { axis: "query", at: 1 });
});

test("what lies beyond the text is not seen", () => {
  assert.deepEqual(place(currentWeights(page, state({ pointed: { axis: "query", at: 7 } }))), ["query", 1]);
  assert.equal(currentWeights(page, state({ answer: null })), null);
});

test("tokens are those of the sentence, without padding", () => {
  const padded = answerOf({ weights: [[WEIGHTS]] }, { ...SAID, tokens: [["a", "b", null]], lengths: [2] });
  assert.deepEqual(
    tokensOf(state({ answer: padded }), "query").map(({ text }) => text),
    ["a", "b"],
  );
});

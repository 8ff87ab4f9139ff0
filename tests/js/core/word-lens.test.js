import assert from "node:assert/strict";
import test from "node:test";
import { WordLens, mergingOf } from "../../../static/js/core/word-lens.js";
import { answerOf } from "../support/made.js";
import { page } from "../support/sent.js";
import { stateOf } from "../support/state.js";

const REPLY = {
  shape: { n: 3, m: 3 },
  tokens: [["un", "##do", "it"]],
  lengths: [3],
  continues: [[false, true, false]],
};
const answer = () =>
  answerOf(
    {
      weights: [
        [
          [
            [1, 0, 0],
            [0.5, 0.5, 0],
            [0.2, 0.3, 0.5],
          ],
        ],
      ],
      masked_scores: [
        [
          [
            [0, -Infinity, -Infinity],
            [0, 0, -Infinity],
            [0, 0, 0],
          ],
        ],
      ],
    },
    REPLY,
  );
const lens = new WordLens(page);
const cell = (row, col) => ({ stage: "weights", row, col });
const state = (view) => ({ ...stateOf("cat", { tokens: "words", ...view }), answer: answer() });

test("places are those of words, and come back as pieces: of a query the last, of a key the first", () => {
  const own = state({ cell: cell(1, 2), picked: { axis: "key", at: [0, 1] } });
  const seen = lens.wordState(own);
  assert.deepEqual([seen.view.cell, seen.view.picked.at], [cell(0, 1), [0]]);
  assert.equal(lens.wordState(own), seen);
  const same = lens.back({ view: { ...seen.view, precision: 8 } }, seen, own).view;
  assert.deepEqual([same.cell, same.picked, same.precision], [own.view.cell, own.view.picked, 8]);
  const set = lens.back({ view: { ...seen.view, cell: cell(0, 0) }, hover: cell(1, 0) }, seen, own);
  assert.deepEqual([set.view.cell, set.hover], [cell(1, 0), cell(2, 0)]);
});

test("pieces are seen where they are chosen, where every token is a word, and in a change", () => {
  const pieces = state({ tokens: "pieces" });
  const words = { ...state({}), answer: answerOf({}, { ...REPLY, continues: undefined }) };
  for (const each of [pieces, words, state({ since: "0".repeat(32) })]) assert.equal(lens.wordState(each), each);
  assert.deepEqual(mergingOf(pieces), {});
  assert.deepEqual(mergingOf(lens.wordState(state({}))), { tokens: "words", keys: "sum", queries: "mean" });
});

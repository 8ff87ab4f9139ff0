import assert from "node:assert/strict";
import test from "node:test";
import { WordLens } from "../../../static/js/core/word-lens.js";
import { cellsOfPieces, countsPieces } from "../../../static/js/core/word-pieces.js";
import { setLens } from "../../../static/js/core/in-words.js";
import { answerOf } from "../support/made.js";
import { page } from "../support/sent.js";
import { stateOf } from "../support/state.js";

setLens(new WordLens(page));
const answer = answerOf(
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
  },
  { shape: { n: 3, m: 3 }, tokens: [["un", "##do", "it"]], lengths: [3], continues: [[false, true, false]] },
);
const state = (view) => ({ ...stateOf("cat", { tokens: "words", ...view }), answer });
const places = (view, cell) => cellsOfPieces(state(view), cell).map(({ row, col }) => [row, col]);

test("a weight between words is of every piece of both; other cells are of their own", () => {
  const cell = { stage: "weights", row: 1, col: 0 };
  const all = [
    [0, 0],
    [0, 1],
    [1, 0],
    [1, 1],
  ];
  assert.deepEqual(places({}, cell), all);
  assert.deepEqual(places({}, { ...cell, row: 2, col: 2 }), [[2, 2]]);
  assert.deepEqual(places({}, { ...cell, stage: "scores" }), [[1, 0]]);
  for (const view of [{ tokens: "pieces" }, { tab: "gradients" }]) assert.deepEqual(places(view, cell), [[1, 0]]);
  assert.deepEqual([countsPieces("lab"), countsPieces("map")], [true, false]);
});

import assert from "node:assert/strict";
import test from "node:test";
import { stageOf } from "../../../static/js/core/page.js";
import { WordAnswer, hasPieces, spansOf } from "../../../static/js/core/word-answer.js";
import { answerOf } from "../support/made.js";
import { page } from "../support/sent.js";

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
const selection = { batch: 0, layer: 0, head: 0 };
const numbers = (ways, name = "weights") => {
  const { rows, cols, values } = new WordAnswer(answer(), ways, 0).block(stageOf(page, name), selection);
  return [rows, cols, ...values];
};

test("weights between words are sums over keys and means over queries, or what else is asked for", () => {
  assert.deepEqual(numbers({ keys: "sum", queries: "mean" }), [2, 2, 1, 0, 0.5, 0.5]);
  assert.deepEqual(numbers({ keys: "max", queries: "max" }), [2, 2, 1, 0, 0.3, 0.5]);
  assert.deepEqual(numbers({ keys: "mean", queries: "sum" }), [2, 2, 1, 0, 0.25, 0.5]);
});

test("words are closed where all of their pieces are, and other stages have none", () => {
  assert.deepEqual(numbers({ keys: "sum", queries: "mean" }, "masked_scores"), [2, 2, 0, -Infinity, 0, 0]);
  assert.equal(
    new WordAnswer(answer(), { keys: "sum", queries: "mean" }, 0).block(stageOf(page, "q"), selection),
    null,
  );
});

test("the reply counts words, and spells them", () => {
  const { reply } = new WordAnswer(answer(), { keys: "sum", queries: "mean" }, 0);
  assert.deepEqual([reply.tokens, reply.lengths, reply.shape.n, reply.merged], [[["undo", "it"]], [2], 2, "sum mean"]);
  assert.deepEqual(spansOf(answer().reply, "query"), [
    [
      [0, 2],
      [2, 3],
    ],
  ]);
  assert.deepEqual([hasPieces(answer().reply), hasPieces(reply)], [true, false]);
});

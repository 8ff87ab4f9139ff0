import assert from "node:assert/strict";
import test from "node:test";
import {
  withOneText,
  explicitOf,
  isParameter,
  labelsOfAll,
  numberAt,
  obstacleOf,
  onePlainLayer,
  withNumber,
  withX,
  xOf,
} from "../../../static/js/editing/edits.js";
import { asQuestion } from "../../../static/js/core/question.js";
import { answerOf, reply } from "../support/made.js";
import { answer, page, question } from "../support/sent.js";

const EXPLICIT = { source: "explicit", num_heads: 1, w_q: [[1, 2]], w_k: [[3, 4]], w_v: [[5, 6]], b_q: [7, 8] };
const explicit = () => asQuestion(page, { tokens: ["a"], x: [[1]], model: EXPLICIT });

test("matrices and biases are parameters, x and the stages are not", () => {
  assert.deepEqual(["w_q", "b_o", "x", "q", "scores"].map(isParameter), [true, true, false, false, false]);
});

test("one plain layer of a seeded model can be written out, and so can what is written out", () => {
  assert.equal(obstacleOf(question("cat"), answer("cat"), page.limits), null);
  assert.equal(obstacleOf(explicit(), { reply: reply({ shape: { num_layers: 3 } }) }, page.limits), null);
});

test("several layers, a block around the attention and too many numbers cannot be written out", () => {
  assert.equal(obstacleOf(question("layers"), answer("layers"), page.limits), "layers");
  assert.equal(obstacleOf(question("block"), answer("block"), page.limits), "block");
  assert.equal(obstacleOf(question("cat"), { reply: reply({ holds: ["attention", "mlp"] }) }, page.limits), "block");
  // 1024 × (4 × 8 × 2 + 4 × 8 × 2) = 131,072 numbers, and 1024 × 4 × 8 × 20 × 4 = 2,621,440
  const sizes = { d_model: 1024, num_heads: 4, num_kv_heads: 4 };
  assert.equal(
    obstacleOf(question("cat"), { reply: reply({ shape: { ...sizes, d_k: 8, d_v: 8 } }) }, page.limits),
    null,
  );
  assert.equal(
    obstacleOf(question("cat"), { reply: reply({ shape: { ...sizes, d_k: 160, d_v: 160 } }) }, page.limits),
    "large",
  );
});

test("sentences of two lengths have no common x: only a seeded model makes it of their words again", () => {
  const crafted = asQuestion(page, { text: ["a", "a b"], model: { source: "crafted", name: "induction" } });
  assert.equal(obstacleOf(crafted, { reply: reply({ lengths: [1, 2] }) }, page.limits), "ragged");
  assert.equal(obstacleOf(crafted, { reply: reply({ lengths: [2, 2] }) }, page.limits), null);
  assert.equal(
    obstacleOf(crafted, { reply: reply({ lengths: [2, 2], context_lengths: [3, 1] }) }, page.limits),
    "ragged",
  );
  assert.equal(obstacleOf(question("batch"), answer("batch"), page.limits), null);
});

test("the nearest plain question has one layer of attention and the rest of its model", () => {
  const { model } = onePlainLayer(
    asQuestion(page, { text: "a", model: { source: "seeded", num_layers: 3, mlp: true, block: "residual", seed: 4 } }),
  );
  assert.deepEqual([model.num_layers, model.mlp, model.block, model.seed], [1, false, "attention", 4]);
});

test("one sentence of a batch is asked by itself, blank lines between them or not", () => {
  const asked = { ...question("batch"), text: "the cat\n\n  \na cat saw the dog\n" };
  assert.equal(withOneText(asked, answer("batch"), 1).text, "a cat saw the dog");
  assert.equal(withOneText(asked, answer("batch"), 0).text, "the cat");
});

test("numbers and given tokens are taken alone with their labels, without padding", () => {
  const said = {
    tokens: [
      ["a", null],
      ["b", "c"],
    ],
    lengths: [1, 2],
  };
  const numbers = asQuestion(page, {
    x: [
      [[1], [0]],
      [[2], [3]],
    ],
    model: EXPLICIT,
  });
  const one = withOneText(numbers, answerOf({}, said), 1);
  assert.deepEqual(
    [one.x, one.tokens],
    [
      [[2], [3]],
      ["b", "c"],
    ],
  );
  const words = asQuestion(page, { tokens: [["a"], ["b", "c"]] });
  assert.deepEqual(withOneText(words, answerOf({}, said), 0).tokens, ["a"]);
});

test("a context comes along, line by line or by its tokens", () => {
  const said = { lengths: [1, 1], context_tokens: [["p"], ["q"]], context_lengths: [1, 1], tokens: [["a"], ["b"]] };
  const typed = asQuestion(page, { text: ["a", "b"], context: ["p", "q"] });
  assert.equal(withOneText(typed, answerOf({}, said), 1).context, "q");
  const given = asQuestion(page, { text: ["a", "b"], context_tokens: [["p"], ["q"]] });
  assert.deepEqual(withOneText(given, answerOf({}, said), 0).context_tokens, ["p"]);
});

test("x is what a layer received: a list of rows, or one a sentence without its padding", () => {
  const one = answerOf({
    x: [
      [
        [1, 2],
        [3, 4],
      ],
    ],
    "layers.1.x": [
      [
        [5, 6],
        [7, 8],
      ],
    ],
  });
  assert.deepEqual(xOf(one, 0), [
    [1, 2],
    [3, 4],
  ]);
  assert.deepEqual(xOf(one, 1), [
    [5, 6],
    [7, 8],
  ]);
  const two = answerOf(
    {
      x: [
        [
          [1, 2],
          [0, 0],
        ],
        [
          [3, 4],
          [5, 6],
        ],
      ],
    },
    { lengths: [1, 2], shape: { batch: 2 } },
  );
  assert.deepEqual(xOf(two, 0), [
    [[1, 2]],
    [
      [3, 4],
      [5, 6],
    ],
  ]);
  assert.throws(() => xOf(one, 2), /no x in the answer/);
});

test("the labels of a sentence are its tokens; of several they are lists; without tokens there are none", () => {
  assert.deepEqual(labelsOfAll({ tokens: [["a", "b", null]], lengths: [2] }), ["a", "b"]);
  assert.deepEqual(labelsOfAll({ tokens: [["a"], ["b"]], lengths: [1, 1] }), [["a"], ["b"]]);
  assert.equal(labelsOfAll({ tokens: null, lengths: [2] }), null);
  assert.equal(labelsOfAll({ tokens: null, lengths: [2, 2] }), null);
});

test("numbers take the place of words, which stay as labels", () => {
  const { text, tokens, x } = /** @type {any} */ (withX(question("cat"), answer("cat")));
  assert.equal(text, "");
  assert.deepEqual(tokens, ["the", "cat", "saw", "the", "dog"]);
  assert.deepEqual([x.length, x[0].length], [5, 8]);
  assert.deepEqual(x.flat(), [...answer("cat").tensors.get("layers.0.x").values]);
});

test("numbers that are given stay the same", () => {
  const given = explicit();
  assert.equal(
    withX(
      given,
      answerOf({
        x: [
          [
            [1, 2],
            [3, 4],
          ],
        ],
      }),
    ),
    given,
  );
});

test("a seeded model is written out with its sizes, and its words stay words", () => {
  const asked = { ...question("cat"), causal: true };
  const { text, x, model, causal, dtype } = explicitOf(page, asked, answer("cat"), {
    w_q: [[1]],
    b_q: [2],
    norm_gain: [3],
  });
  assert.deepEqual([text, x, causal, dtype], ["the cat saw the dog", null, true, null]);
  const { source, num_heads, num_kv_heads, w_q, b_q, w_o } = model;
  assert.deepEqual([source, num_heads, num_kv_heads, w_q, b_q, w_o], ["explicit", 2, null, [[1]], [2], null]);
  assert.ok(!("norm_gain" in model)); // an explicit model is one of attention alone
  assert.equal(model.seed, question("cat").model.seed);
  assert.equal(model.positions, question("cat").model.positions);
});

test("shared key and value heads stay shared", () => {
  const { model } = explicitOf(page, question("grouped"), answer("grouped"), {});
  assert.deepEqual([model.num_heads, model.num_kv_heads], [4, 2]);
});

test("a later layer is written out with the x that it received", () => {
  const { text, x } = explicitOf(page, question("layers"), answer("layers"), {}, 1);
  assert.equal(text, "");
  assert.deepEqual(x.flat(), [...answer("layers").tensors.get("layers.1.x").values]);
});

test("the precision of an upload that has its own goes along", () => {
  const asked = asQuestion(page, { text: "a", model: { source: "uploaded", id: "0" } });
  const small = answerOf(
    {
      x: [
        [
          [1, 2],
          [3, 4],
        ],
      ],
    },
    { dtype: "float32" },
  );
  assert.equal(explicitOf(page, asked, small, {}).dtype, "float32");
  assert.equal(explicitOf(page, { ...asked, dtype: "bfloat16" }, small, {}).dtype, "bfloat16");
});

test("what is written out already stays", () => {
  const given = explicit();
  assert.equal(explicitOf(page, given, answerOf({}), {}), given);
});

test("a number is read from x, of one sentence or of several, from a matrix and from a bias", () => {
  const two = asQuestion(page, { x: [[[1, 2]], [[3, 4]]], model: EXPLICIT });
  const at = (asked, tensor, row, col, batch = 0) => numberAt(asked, { tensor, batch, row, col });
  assert.equal(at(two, "x", 0, 1, 1), 4);
  assert.equal(at(explicit(), "x", 0, 0, 3), 1); // one sentence is every sentence's
  assert.equal(at(explicit(), "w_k", 0, 1), 4);
  assert.equal(at(explicit(), "b_q", 0, 1), 8);
});

test("where there is no number there is none", () => {
  const at = (tensor, row, col) => numberAt(explicit(), { tensor, batch: 0, row, col });
  assert.deepEqual([at("w_o", 0, 0), at("w_q", 4, 0), at("w_q", 0, 9), at("b_k", 0, 0)], [null, null, null, null]);
  assert.equal(numberAt(question("cat"), { tensor: "x", batch: 0, row: 0, col: 0 }), null);
});

test("one number changes and the question before stays as it was", () => {
  const before = asQuestion(page, {
    x: [
      [1, 2],
      [3, 4],
    ],
    model: EXPLICIT,
  });
  const after = withNumber(before, { tensor: "x", batch: 0, row: 1, col: 0 }, 9);
  assert.deepEqual(
    [after.x, before.x],
    [
      [
        [1, 2],
        [9, 4],
      ],
      [
        [1, 2],
        [3, 4],
      ],
    ],
  );
  assert.equal(after.x[0], before.x[0]); // what stays is shared
  const matrix = withNumber(before, { tensor: "w_v", batch: 0, row: 0, col: 1 }, -1);
  assert.deepEqual([matrix.model.w_v, before.model.w_v], [[[5, -1]], [[5, 6]]]);
  const bias = withNumber(before, { tensor: "b_q", batch: 0, row: 0, col: 0 }, 0);
  assert.deepEqual(bias.model.b_q, [0, 8]);
});

test("in a batch the number of one sentence changes", () => {
  const before = asQuestion(page, { x: [[[1]], [[2]]], model: EXPLICIT });
  const after = withNumber(before, { tensor: "x", batch: 1, row: 0, col: 0 }, 7);
  assert.deepEqual(after.x, [[[1]], [[7]]]);
});

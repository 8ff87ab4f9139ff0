import assert from "node:assert/strict";
import test from "node:test";
import { Answer, isPlain, labelsOf, replyAt, wholeOf, wordsOf } from "../../../static/js/core/answer.js";
import { stageOf } from "../../../static/js/core/page.js";
import { firstQueryHead } from "../../../static/js/core/cell-trail.js";
import { answerOf, reply } from "../support/made.js";
import { answer, bytes, page } from "../support/sent.js";

const [X, Q, K, SCORES] = ["x", "q", "k", "scores"].map((name) => stageOf(page, name));
const at = (batch, layer, head) => ({ batch, layer, head });
const values = (block) => block && [...block.values];

test("a block is the two last axes of a stage for one sentence, layer and head", () => {
  const scores = [
    [[[1, 2]], [[3, 4]]],
    [[[5, 6]], [[7, 8]]],
  ]; // two sentences, two heads, 1 × 2
  const one = answerOf({ scores, "layers.1.scores": scores }, { shape: { batch: 2, num_heads: 2, n: 1 } });
  assert.deepEqual(one.block(SCORES, at(1, 0, 0)), { rows: 1, cols: 2, values: Float64Array.of(5, 6) });
  assert.deepEqual(values(one.block(SCORES, at(1, 1, 1))), [7, 8]);
});

test("a stage without heads is the same for each", () => {
  const one = answerOf(
    {
      x: [
        [
          [1, 2],
          [3, 4],
        ],
      ],
    },
    { shape: { num_heads: 2 } },
  );
  assert.deepEqual(values(one.block(X, at(0, 0, 1))), [1, 2, 3, 4]);
});

test("a decoder's answer is of the layer that is looked at: of one text, or of two", () => {
  const whole = answer("decoder");
  const [own, asking] = [whole.at(0), whole.at(1)];
  assert.deepEqual([own.reply.shape.m, asking.reply.shape.m], [2, 4]);
  assert.deepEqual(labelsOf(own.reply, 0, "key").length, 2);
  assert.deepEqual(labelsOf(asking.reply, 0, "key")[3].text, "it");
  assert.deepEqual(
    [own, asking].map(({ reply: { holds } }) => holds.includes("mlp")),
    [false, true],
  );
  assert.equal(own.at(2), own);
  assert.equal(own.at(3), asking);
  assert.equal(wholeOf(own.reply), whole.reply);
  assert.equal(own.block(SCORES, at(0, 1, 0))?.cols, 4);
});

test("any other answer is the same of all its layers", () => {
  for (const name of ["layers", "cross"]) {
    const one = answer(name);
    assert.equal(one.at(1), one);
    assert.equal(replyAt(one.reply, 1), one.reply);
  }
});

test("what the answer does not hold is null", () => {
  const one = answerOf({ x: [[[1]]] });
  assert.equal(one.block(Q, at(0, 0, 0)), null);
  assert.equal(one.block(X, at(1, 0, 0)), null);
  assert.equal(one.block(X, at(0, 1, 0)), null);
});

test("heads share a key and value head in equal groups", () => {
  const grouped = answer("grouped"); // four heads over two
  const own = [0, 1, 2, 3].map((head) => grouped.ownHead(K, head));
  assert.deepEqual(own, [0, 0, 1, 1]);
  assert.deepEqual(
    [0, 1, 2, 3].map((head) => grouped.ownHead(Q, head)),
    [0, 1, 2, 3],
  );
  assert.equal(grouped.ownHead(X, 3), 0);
  assert.deepEqual(
    [0, 1].map((kvHead) => firstQueryHead(grouped.reply.shape, kvHead)),
    [0, 2],
  );
  const shared = [0, 1].map((head) => values(grouped.block(K, at(0, 0, head))));
  assert.deepEqual(shared[0], shared[1]);
});

test("an answer of some heads holds them in the order they were asked for, and shared ones once", () => {
  const some = new Answer(bytes("grouped"), [1, 3]);
  assert.deepEqual(
    [0, 1, 2, 3].map((head) => some.headIndex(Q, head)),
    [-1, 0, -1, 1],
  );
  assert.deepEqual(
    [0, 1, 2, 3].map((head) => some.headIndex(K, head)),
    [0, 0, 1, 1],
  );
  assert.equal(some.headIndex(X, 2), 0);
  const pair = new Answer(bytes("grouped"), [2, 3]);
  assert.deepEqual(
    [0, 2, 3].map((head) => pair.headIndex(K, head)),
    [-1, 0, 0],
  );
  assert.equal(pair.block(Q, at(0, 0, 0)), null);
});

test("what the server sent is read as it computed it: softmax by loops over its own scores", () => {
  const cat = answer("cat");
  const masked = cat.block(stageOf(page, "masked_scores"), at(0, 0, 1));
  const weights = cat.block(stageOf(page, "weights"), at(0, 0, 1));
  for (let row = 0; row < masked.rows; row++) {
    const exps = [...masked.values.subarray(row * masked.cols, (row + 1) * masked.cols)].map(Math.exp);
    const sum = exps.reduce((total, each) => total + each, 0);
    exps.forEach((each, col) => assert.ok(Math.abs(each / sum - weights.values[row * weights.cols + col]) < 1e-12));
  }
});

test("keys are the context's words where there is a context, else the sentence's own", () => {
  const cross = reply({ context_tokens: [["p"]], context_lengths: [1], shape: { m: 1 } });
  assert.deepEqual(wordsOf(cross, "key"), { tokens: [["p"]], continues: undefined, lengths: [1], size: 1 });
  assert.deepEqual(wordsOf(cross, "query"), { tokens: [["the", "cat"]], continues: undefined, lengths: [2], size: 2 });
  assert.deepEqual(wordsOf(reply(), "key").tokens, [["the", "cat"]]);
});

test("a token that occurs twice carries its index, padding has no name", () => {
  const twice = reply({ tokens: [["a", "cat", "a", null, null]], lengths: [3], shape: { n: 5 } });
  assert.deepEqual(labelsOf(twice, 0), [
    { text: "a", index: 0 },
    { text: "cat", index: null },
    { text: "a", index: 2 },
    { text: "", index: null },
    { text: "", index: null },
  ]);
});

test("a word with and without its space is one word", () => {
  const twice = reply({ tokens: [["a", " cat", " a"]], lengths: [3], shape: { n: 3 } });
  assert.deepEqual(
    labelsOf(twice, 0).map(({ index }) => index),
    [0, null, 2],
  );
});

test("numbers without tokens are labelled by their places", () => {
  assert.deepEqual(
    labelsOf(reply({ tokens: null }), 0).map(({ text }) => text),
    ["0", "1"],
  );
});

test("attention alone has neither a residual nor a norm nor an MLP around it", () => {
  for (const name of ["cat", "cross", "given", "layers"]) assert.equal(isPlain(answer(name).reply), true, name);
  for (const name of ["block", "induction"]) assert.equal(isPlain(answer(name).reply), false, name);
  assert.equal(isPlain({ holds: ["attention", "mlp"] }), false);
});

test("the layers of an encoder have the words of the context on both sides", () => {
  const whole = reply({
    ...{ tokens: [["</s>", "a"]], lengths: [2], context_tokens: [["x", "y", "z"]], context_lengths: [3] },
    ...{ shape: { n: 2, m: 3 }, attends_to: ["self", "self", "context"], encoder_layers: 1 },
    ...{ holds: ["causal"], context_holds: ["context"], encoder_holds: ["unmasked"] },
  });
  const [source, own, asking] = [0, 1, 2].map((layer) => replyAt(whole, layer));
  const named = (each, axis) => labelsOf(each, 0, axis).map(({ text }) => text);
  assert.deepEqual(named(source, "query"), ["x", "y", "z"]);
  assert.deepEqual(named(source, "key"), ["x", "y", "z"]);
  assert.deepEqual([source.shape.n, source.shape.m, source.holds], [3, 3, ["unmasked"]]);
  assert.deepEqual(named(own, "key"), ["</s>", "a"]);
  assert.deepEqual([own.shape.n, own.shape.m, own.holds], [2, 2, ["causal"]]);
  assert.deepEqual(
    [named(asking, "query"), named(asking, "key")],
    [
      ["</s>", "a"],
      ["x", "y", "z"],
    ],
  );
  assert.equal(replyAt(source, 2), asking);
});

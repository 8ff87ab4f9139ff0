import assert from "node:assert/strict";
import test from "node:test";
import { parametersOf } from "../../../static/js/core/layer-parameters.js";
import { asQuestion } from "../../../static/js/core/question.js";
import { file, reply, tensor } from "../support/made.js";
import { offline, serve } from "../support/server.js";
import { page } from "../support/sent.js";
import { stateOf } from "../support/state.js";

const bytes = (layer) =>
  file(
    { attnscope: JSON.stringify(reply()) },
    {
      [`layers.${layer}.w_q`]: tensor([
        [1, 2],
        [3, 4],
      ]),
      [`layers.${layer}.b_q`]: tensor([5, 6]),
      [`layers.${layer}.norm_gain`]: tensor([7, 8]),
    },
  );

test("the parameters of a layer are asked for alone, once, and come as matrices and vectors, those of a norm too", async () => {
  const asked = serve(({ body }) => bytes(body.layers[0]));
  const state = stateOf("layers");
  const found = await parametersOf(state, 1);
  assert.deepEqual(found, {
    w_q: [
      [1, 2],
      [3, 4],
    ],
    b_q: [5, 6],
    norm_gain: [7, 8],
  });
  assert.equal(await parametersOf(state, 1), found);
  assert.equal(asked.length, 1);
  const { text, stages, layers, parameters } = asked[0].body;
  assert.deepEqual([text, stages, layers, parameters], ["the cat", [], [1], true]);
});

test("another layer, or another trace, is asked for by itself", async () => {
  const asked = serve(({ body }) => bytes(body.layers[0]));
  await parametersOf(stateOf("layers"), 0);
  await parametersOf(stateOf("cat"), 0);
  assert.equal(asked.length, 2);
});

test("after a failure they are asked for again", async () => {
  const state = stateOf("dog");
  serve(offline);
  await assert.rejects(parametersOf(state, 0), { code: "offline" });
  serve(() => bytes(0));
  assert.deepEqual((await parametersOf(state, 0)).b_q, [5, 6]);
});

test("those of an explicit model are in its question, and nobody is asked", async () => {
  const asked = serve(offline);
  const question = asQuestion(page, { x: [[1]], model: { source: "explicit", w_q: [[1]], w_k: [[2]], w_v: [[3]] } });
  const found = await parametersOf({ ...stateOf("cat"), question }, 0);
  assert.deepEqual(found, { w_q: [[1]], w_k: [[2]], w_v: [[3]] });
  assert.equal(asked.length, 0);
});

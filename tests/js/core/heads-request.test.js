import assert from "node:assert/strict";
import test from "node:test";
import { headScope, requestOf } from "../../../static/js/core/heads-request.js";
import { reply as said } from "../support/made.js";
import { page } from "../support/sent.js";
import { stateOf } from "../support/state.js";

const sized = (shape) => headScope({ answer: { reply: said({ shape }) } }, page);

test("all layers are had at once up to 16 million weights, then a layer, then the head alone", () => {
  const maps = { batch: 1, num_heads: 16, n: 500, m: 500 }; // 4 million a layer
  assert.equal(sized({ ...maps, num_layers: 4 }), "all");
  assert.equal(sized({ ...maps, num_layers: 5 }), "layer");
  assert.equal(sized({ ...maps, num_layers: 1, batch: 5 }), "head");
  assert.equal(headScope({ answer: null }, page), "head");
});

test("weights are asked for as float32, unless the question says otherwise", () => {
  const state = stateOf("layers", { layer: 1 });
  const all = requestOf(state, "all");
  assert.deepEqual([all.dtype, all.stages, all.layers], ["float32", ["weights"], undefined]);
  assert.deepEqual(requestOf(state, "layer").layers, [1]);
  const precise = { ...state, question: { ...state.question, dtype: "float64" } };
  assert.equal(requestOf(precise, "all").dtype, "float64");
});

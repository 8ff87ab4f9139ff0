import assert from "node:assert/strict";
import test from "node:test";
import { isCrossAttention, keyOf, fetchRollout, showsRollout } from "../../../static/js/heads/rollout.js";
import { file, tensor } from "../support/made.js";
import { serve } from "../support/server.js";
import { stateOf } from "../support/state.js";

test("layers are seen together where there are several and that is chosen", () => {
  assert.equal(showsRollout(stateOf("layers", { rollout: true })), true);
  assert.equal(showsRollout(stateOf("layers")), false);
  assert.equal(showsRollout(stateOf("cat", { rollout: true })), false);
  assert.equal(showsRollout({ ...stateOf("layers", { rollout: true }), answer: null }), false);
});

test("layers pass on the tokens of one text, not those of a context", () => {
  assert.deepEqual([isCrossAttention(stateOf("cross")), isCrossAttention(stateOf("cat"))], [true, false]);
});

test("another layer, sentence, answer or try is another map, another head is not", () => {
  const state = stateOf("layers");
  const key = keyOf(state);
  assert.equal(keyOf({ ...state, view: { ...state.view, head: 1, precision: 6 } }), key);
  for (const other of [
    stateOf("layers", { layer: 1 }),
    stateOf("layers", { batch: 1 }),
    stateOf("layers", { combine: "max" }),
    stateOf("layers", { discard: 0.5 }),
    stateOf("cat"),
    { ...state, attempt: 1 },
  ])
    assert.notEqual(keyOf(other), key);
});

test("a map is asked for by trace, layer and sentence, and its padding has no extent", async () => {
  const state = stateOf("batch", { layer: 0, batch: 0 }); // "the cat" beside five tokens
  const values = Array.from({ length: 5 }, (_, row) => [0.5, 0.25, 0, 0, row === 4 ? 1 : 0]);
  const asked = serve(() => file({}, { "layers.0.rollout": tensor(values) }));
  const map = await fetchRollout(state);
  const { trace } = state.answer.reply;
  assert.equal(asked[0].path, `/api/v1/traces/${trace}/rollout?layer=0&batch=0&format=safetensors`);
  assert.deepEqual([map.rows, map.cols, map.realRows, map.realCols], [5, 5, 2, 2]);
  assert.deepEqual([map.size, map.most], [0.5, 0.5]);
  assert.deepEqual(Array.from(map.values), values.flat());
});

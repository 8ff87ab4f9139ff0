import assert from "node:assert/strict";
import test from "node:test";
import { captureOf } from "../../../static/js/captures/captured-arrays.js";

const of = (shapes) => captureOf(Object.entries(shapes).map(([name, shape]) => ({ name, shape })));
const sizes = (layers, batch, heads, n, m = n) => ({ layers, batch, heads, n, m });

test("maps are a capture, whatever stands beside them", () => {
  for (const [shapes, expected] of [
    [{ attentions: [2, 4, 12, 12] }, sizes(2, 1, 4, 12)],
    [{ weights: [4, 12, 9] }, sizes(1, 1, 4, 12, 9)],
    [{ weights: [2, 3, 4, 12, 12], logits: [3, 12, 50] }, sizes(2, 3, 4, 12)],
    [{ "layers.0.weights": [4, 5, 5], "layers.1.weights": [4, 5, 5] }, sizes(2, 1, 4, 5)],
    [{ "layers.0.scores": [3, 4, 5, 5] }, sizes(1, 3, 4, 5)],
    [{ q: [2, 4, 12, 8], k: [2, 2, 10, 8], v: [2, 2, 10, 8], scale: [2] }, sizes(2, 1, 4, 12, 10)],
  ])
    assert.deepEqual(of(shapes), { sizes: expected, spare: 0 }, JSON.stringify(shapes));
  const steps = { "attentions.0.0": [1, 4, 3, 3], "attentions.1.0": [1, 4, 1, 4], "attentions.0.1": [1, 4, 3, 3] };
  assert.deepEqual(of({ ...steps, "attentions.1.1": [1, 4, 1, 4] }), { sizes: sizes(2, 1, 4, 4), spare: 1 });
});

test("matrices of weights are none", () => {
  for (const shapes of [
    { w_q: [6, 4], w_k: [6, 4], w_v: [6, 4] },
    { q: [24, 24], k: [24, 24], v: [24, 24] },
    { weights: [24, 24] },
    { q: [2, 4, 24, 8], k: [2, 4, 24, 8], embedding: [100, 24] },
    { q: [2, 4, 24, 8] },
    { w_o: [24, 24] },
  ])
    assert.equal(of(shapes), null, JSON.stringify(shapes));
});

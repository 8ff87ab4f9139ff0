import assert from "node:assert/strict";
import test from "node:test";
import * as measures from "../../../static/js/laboratory/scaling-measures.js";
import { serve } from "../support/server.js";
import { page } from "../support/sent.js";
import { stateOf } from "../support/state.js";

const { nearest, fetchRandom, selectedRow, scoresOf, spansOf, weightsAt } = measures;
const figures = (variance, entropy, largest, jacobian) => ({ variance, entropy, largest, jacobian });

test("random numbers are drawn over as many keys as there are, 64 at the most", async () => {
  const asked = serve(() => ({ widths: [] }));
  await fetchRandom(page, stateOf("cross")); // four keys
  const wide = stateOf("cat");
  wide.answer.reply.shape.m = 300;
  await fetchRandom(page, wide);
  assert.deepEqual(
    asked.map(({ path }) => path),
    [4, 64].map((n) => `/api/v1/laboratory/scaling?n=${n}`),
  );
});

test("charts beside each other share their axes", () => {
  const spans = spansOf([figures(0.5, 1, 0.25, 0.1), figures(200, 2, 0.9, 0.3), figures(null, null, null, null)]);
  assert.deepEqual([spans.variance.low, spans.variance.high, spans.variance.log], [0.1, 1000, true]);
  assert.deepEqual([spans.entropy.low, spans.entropy.high], [0, 2 * 1.04]);
  assert.deepEqual([spans.largest.low, spans.largest.high], [0, 1]);
  assert.deepEqual(spans.jacobian.high, 0.3 * 1.04);
  for (const { low, high, ticks } of Object.values(spans))
    assert.ok(ticks.length > 1 && ticks.every((tick) => tick >= low * 0.999 && tick <= high * 1.001));
});

test("many decades have few ticks", () => {
  const { variance } = spansOf([figures(1e-10, 0, 0, 0), figures(1e10, 0, 0, 0)]);
  assert.deepEqual(variance.ticks.map(Math.log10).map(Math.round), [-8, -4, 0, 4, 8]);
});

test("nothing measured has axes all the same", () => {
  const spans = spansOf([figures(null, null, null, null)]);
  assert.deepEqual([spans.variance.low, spans.variance.high, spans.entropy.high], [1, 10, 1]);
});

test("near is meant in octaves", () => {
  assert.deepEqual(
    [6, 5.5, 100, 0.1].map((value) => nearest([1, 4, 8, 16], value)),
    [2, 1, 3, 0],
  );
});

test("the row that is looked at is that of the pinned map, inside the sentence, or the last", () => {
  const row = (cell, name = "cat") => selectedRow(page, stateOf(name, { cell }));
  assert.equal(row(null), 4);
  assert.equal(row({ stage: "weights", row: 2, col: 0 }), 2);
  assert.equal(row({ stage: "q", row: 2, col: 0 }), 4);
  assert.equal(row({ stage: "weights", row: 4, col: 0 }, "batch"), 1); // padding from the second on
});

test("the scores of a row stand beside what scale and mask made of them", () => {
  const state = stateOf("cat", { head: 1 });
  const found = scoresOf(page, state, 3);
  const read = (stage, col) => state.answer.tensors.get(`layers.0.${stage}`).values[25 + 3 * 5 + col];
  found.forEach(({ col, score, scaled, masked }) => {
    assert.deepEqual(
      [score, scaled, masked],
      ["scores", "scaled_scores", "masked_scores"].map((stage) => read(stage, col)),
    );
  });
  assert.equal(found.length, 5);
});

test("at its own scale a row has its own weights", () => {
  const state = stateOf("cat");
  const own = state.answer.tensors.get("layers.0.weights").values.subarray(10, 15);
  assert.equal(weightsAt(page, state, 2, 1).length, 3); // what comes later is masked
  weightsAt(page, state, 2, 1).forEach(({ col, weight }) => assert.ok(Math.abs(weight - own[col]) < 1e-12));
});

test("at another scale its weights are the softmax of the scores times that scale", () => {
  const state = stateOf("cat");
  const scores = state.answer.tensors.get("layers.0.scores").values.subarray(20, 25);
  const exps = [...scores].map((score) => Math.exp(3 * state.answer.reply.scale * score));
  const sum = exps.reduce((total, each) => total + each, 0);
  weightsAt(page, state, 4, 3).forEach(({ col, weight }) => assert.ok(Math.abs(weight - exps[col] / sum) < 1e-12));
  const even = weightsAt(page, state, 4, 0);
  assert.ok(even.every(({ weight }) => Math.abs(weight - 0.2) < 1e-12));
});

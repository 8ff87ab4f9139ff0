import assert from "node:assert/strict";
import test from "node:test";
import { positionOf, predicts } from "../../../static/js/core/position.js";
import { page } from "../support/sent.js";
import { stateOf } from "../support/state.js";

const at = (view) => positionOf(page, stateOf("cat", view));

test("predictions are seen after the chosen token, else the pinned cell's query, else the last", () => {
  assert.equal(at({}), 4);
  assert.equal(at({ cell: { stage: "weights", row: 2, col: 1 } }), 2);
  assert.equal(at({ cell: { stage: "w_q", row: 2, col: 1 } }), 4);
  assert.equal(at({ cell: { stage: "weights", row: 2, col: 1 }, after: 0 }), 0);
  assert.equal(at({ after: 99 }), 4);
});

test("a mask that stands in the text is asked about, unless another token is chosen", () => {
  for (const mask of ["[MASK]", "<mask>", " <mask>"]) {
    const state = (view) => ({
      ...stateOf("cat", view),
      answer: { reply: { lengths: [4], tokens: [["a", mask, "b", "c"]] } },
    });
    assert.deepEqual([positionOf(page, state({})), positionOf(page, state({ after: 2 }))], [1, 2]);
  }
});

test("in a layer of an encoder it is a token of the text, and no query of the source is asked about", () => {
  const whole = { lengths: [3], tokens: [["</s>", "a", "b"]], encoder_layers: 2 };
  const source = { lengths: [9], tokens: [Array(9).fill("x")], encoder_layers: 2, whole };
  const state = (view) => ({ ...stateOf("cat", view), answer: { reply: view.layer < 2 ? source : whole } });
  const cell = { stage: "weights", row: 1, col: 0 };
  assert.equal(positionOf(page, state({ layer: 1, cell })), 2);
  assert.equal(positionOf(page, state({ layer: 2, cell })), 1);
  assert.equal(positionOf(page, state({ layer: 1, after: 0 })), 0);
});

test("models on the server predict where they say so, those of a task always, others never", () => {
  const [{ name }] = page.installed.filter((model) => model.predicts);
  assert.equal(predicts(page, { question: { model: { source: "installed", name } } }), true);
  assert.equal(predicts(page, { question: { model: { source: "installed", name: "none" } } }), false);
  assert.equal(predicts(page, { question: { model: { source: "trained", task: "copy" } } }), true);
  assert.equal(predicts(page, stateOf("cat")), false);
});

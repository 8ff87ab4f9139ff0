import assert from "node:assert/strict";
import test from "node:test";
import { largeStage } from "../../../static/js/core/large-stage.js";
import { page } from "../support/sent.js";
import { stateOf } from "../support/state.js";

test("a stage is seen large where the answer has it, and not over its derivatives", () => {
  const seen = (name, view) => largeStage(page, stateOf(name, view))?.name ?? null;
  assert.equal(seen("cat", { stage: "scores" }), "scores");
  assert.equal(seen("cat", { stage: null }), null);
  assert.equal(seen("cat", { stage: "context" }), null);
  assert.equal(seen("cross", { stage: "context" }), "context");
  assert.equal(seen("cat", { stage: "scores", tab: "gradients" }), null);
  assert.equal(largeStage(page, { ...stateOf("cat", { stage: "scores" }), answer: null }), null);
});

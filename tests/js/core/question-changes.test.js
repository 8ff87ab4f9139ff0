import assert from "node:assert/strict";
import test from "node:test";
import { setField } from "../../../static/js/core/question-changes.js";
import { storeOf } from "../support/state.js";

test("one field of the question is set, or one of its model, and the rest stays", () => {
  const store = storeOf("cat");
  const { question } = store.get();
  setField(store, "temperature", 2);
  setField(store, "model.seed", 9);
  assert.deepEqual(store.get().question, { ...question, temperature: 2, model: { ...question.model, seed: 9 } });
});

import assert from "node:assert/strict";
import test from "node:test";
import { say } from "../../../static/js/core/actions.js";
import { chooseSource } from "../../../static/js/core/choose-source.js";
import { ask } from "../../../static/js/core/question-changes.js";
import { storeOf } from "../support/state.js";

test("another source starts from its own model, and what was typed for the first comes back", () => {
  const store = storeOf("cat");
  ask(store, "model.seed", 9);
  chooseSource(store, "explicit");
  assert.equal(store.get().question.model.source, "explicit");
  chooseSource(store, "seeded");
  assert.equal(store.get().question.model.seed, 9);
});

test("a model on the server takes its own tokenizer, and each of them keeps what was chosen for it", () => {
  const store = storeOf("cat");
  ask(store, "tokenizer", "characters");
  chooseSource(store, "installed:echo");
  const { question } = store.get();
  assert.deepEqual([question.model.source, question.model.name, question.tokenizer], ["installed", "echo", null]);
  ask(store, "model.revision", "step-400");
  chooseSource(store, "installed:other");
  assert.deepEqual([store.get().question.model.name, store.get().question.model.revision], ["other", null]);
  chooseSource(store, "installed:echo");
  assert.equal(store.get().question.model.revision, "step-400");
});

test("a second sentence goes with the models that read two", () => {
  const store = storeOf("cat");
  store.page.installed.push({ ...store.page.installed[0], name: "encoder", pairs: true });
  chooseSource(store, "installed:encoder");
  say(store, "c", {}, { field: "pair", x: "x", tokens: "tokens" });
  assert.equal(store.get().question.pair, "c");
  chooseSource(store, "installed:echo");
  assert.equal(store.get().question.pair, null);
  store.page.installed.pop();
});

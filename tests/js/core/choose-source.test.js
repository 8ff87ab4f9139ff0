import assert from "node:assert/strict";
import test from "node:test";
import { setText } from "../../../static/js/core/actions.js";
import { chooseSource } from "../../../static/js/core/choose-source.js";
import { setField } from "../../../static/js/core/question-changes.js";
import { storeOf } from "../support/state.js";

test("another source starts from its own model, and what was typed for the first comes back", () => {
  const store = storeOf("cat");
  setField(store, "model.seed", 9);
  chooseSource(store, "explicit");
  assert.equal(store.get().question.model.source, "explicit");
  chooseSource(store, "seeded");
  assert.equal(store.get().question.model.seed, 9);
});

test("a model on the server takes its own tokenizer, and each of them keeps what was chosen for it", () => {
  const store = storeOf("cat");
  setField(store, "tokenizer", "characters");
  chooseSource(store, "installed:echo");
  const { question } = store.get();
  assert.deepEqual([question.model.source, question.model.name, question.tokenizer], ["installed", "echo", null]);
  setField(store, "model.revision", "step-400");
  chooseSource(store, "installed:other");
  assert.deepEqual([store.get().question.model.name, store.get().question.model.revision], ["other", null]);
  chooseSource(store, "installed:echo");
  assert.equal(store.get().question.model.revision, "step-400");
});

test("a second sentence goes with the models that read two", () => {
  const store = storeOf("cat");
  store.page.installed.push({ ...store.page.installed[0], name: "encoder", pairs: true });
  chooseSource(store, "installed:encoder");
  setText(store, "c", {}, { field: "pair", x: "x", tokens: "tokens" });
  assert.equal(store.get().question.pair, "c");
  chooseSource(store, "installed:echo");
  assert.equal(store.get().question.pair, null);
  store.page.installed.pop();
});

test("a trained model gets an example where it lacks a word, and no text that is typed later is replaced", () => {
  const store = storeOf("cat");
  const { task } = store.page.models.trained;
  const { example, words } = store.page.lessons[task];
  const write = (text) => setField(store, "text", text);
  const text = () => store.get().question.text;
  chooseSource(store, "trained");
  assert.equal(text(), example);
  write(`${words[0]} unheard`);
  assert.equal(text(), `${words[0]} unheard`);
  chooseSource(store, "seeded");
  write(words.slice(0, 2).join(" "));
  chooseSource(store, "trained");
  assert.equal(text(), words.slice(0, 2).join(" "));
});

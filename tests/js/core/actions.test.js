import assert from "node:assert/strict";
import test from "node:test";
import * as actions from "../../../static/js/core/actions.js";
import { setField, setQuestion, openQuestion } from "../../../static/js/core/question-changes.js";
import { togglePin } from "../../../static/js/core/pointing.js";
import { storeOf } from "../support/state.js";

const cell = (stage, row, col) => ({ stage, row, col });

test("words take the place of numbers and of given tokens", () => {
  const store = storeOf("cat");
  setField(store, "x", [[1]]);
  setField(store, "tokens", ["a"]);
  actions.setText(store, "a b", {}, { field: "text", x: "x", tokens: "tokens" });
  const { text, x, tokens } = store.get().question;
  assert.deepEqual([text, x, tokens], ["a b", null, null]);
  setField(store, "context_tokens", ["p"]);
  setField(store, "context", "q");
  assert.deepEqual([store.get().question.context, store.get().question.context_tokens], ["q", null]);
});

test("a prepared question is looked at afresh, in the tab and with the decimals as they are", () => {
  const store = storeOf("cat", { head: 1, tab: "heads", precision: 6, cell: cell("q", 0, 0), stage: "q" });
  openQuestion(store, { text: "z", model: { source: "seeded", num_heads: 2 } });
  const { question, view, trail } = store.get();
  assert.deepEqual([question.text, question.temperature], ["z", 1]);
  assert.deepEqual([view.head, view.cell, view.stage, view.tab, view.precision], [0, null, null, "heads", 6]);
  assert.deepEqual(trail, []);
});

test("a press pins a cell and a second one lets it go", () => {
  const store = storeOf("cat");
  togglePin(store, { ...cell("q", 1, 2), keys: true });
  assert.deepEqual(store.get().view.cell, cell("q", 1, 2));
  togglePin(store, cell("k", 1, 2));
  assert.deepEqual(store.get().view.cell, cell("k", 1, 2));
  togglePin(store, cell("k", 1, 2));
  assert.equal(store.get().view.cell, null);
});

test("listeners learn how a change was made, and what is asked again is asked as it is", () => {
  const store = storeOf("cat");
  const calls = [];
  store.subscribe((state, previous, how) => calls.push(how));
  const { question } = store.get();
  actions.setView(store, { precision: 8 }, { replace: true });
  setQuestion(store, { ...question, text: "a dog" }, { typing: true });
  actions.askAgain(store);
  assert.deepEqual(calls, [{ replace: true }, { typing: true }, { silent: true }]);
  const state = store.get();
  assert.deepEqual([state.view.precision, state.question.text, state.attempt], [8, "a dog", 1]);
});

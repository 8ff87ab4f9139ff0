import assert from "node:assert/strict";
import test from "node:test";
import { Steps } from "../../../static/js/editing/undo.js";
import { createStore } from "../../../static/js/lib/store.js";

const asked = (text, model = "one") => ({ text, model: { source: model } });

/** A page that asks a, and its steps. */
function begin() {
  const store = createStore({ messages: {} }, { question: asked("a"), unchanged: null });
  const steps = new Steps(store);
  const ask = (text, how) => store.set({ question: { ...store.get().question, text } }, how);
  return { store, steps, ask, text: () => store.get().question.text };
}

test("undo goes back through every question, and redo forward again", () => {
  const { steps, ask, text } = begin();
  ask("b");
  ask("c");
  const seen = [];
  for (const move of ["undo", "undo", "undo", "redo", "redo", "redo"]) {
    steps[move]();
    seen.push(text());
  }
  assert.deepEqual(seen, ["b", "a", "a", "b", "c", "c"]);
});

test("a new question leaves nothing to redo", () => {
  const { steps, ask, text } = begin();
  ask("b");
  steps.undo();
  ask("c");
  steps.redo();
  assert.equal(text(), "c");
  steps.undo();
  assert.equal(text(), "a");
});

test("what replaces the change before belongs to the same step", () => {
  const { steps, ask, text } = begin();
  ask("b");
  ask("bc", { replace: true });
  ask("bcd", { replace: true });
  steps.undo();
  assert.equal(text(), "a");
  steps.redo();
  assert.equal(text(), "bcd");
});

test("what was typed and typed back is no step to stop at", () => {
  const { store, steps, ask, text } = begin();
  ask("b");
  ask("c");
  store.set({ question: { ...store.get().question, text: "b" } }, { replace: true });
  steps.undo();
  assert.equal(text(), "a");
});

test("a step may be taken back while its numbers are on their way", () => {
  const { steps, ask, text } = begin();
  ask("b");
  const edit = steps.begin({});
  steps.undo();
  assert.equal(steps.end(edit), false);
  assert.equal(text(), "b");
  steps.undo();
  assert.equal(text(), "a");
});

test("taking back a drag takes back every edit of it that is on its way", () => {
  const { steps } = begin();
  const edits = [steps.begin({}), steps.begin({ replace: true }), steps.begin({ replace: true })];
  assert.equal(steps.cancel(), true);
  assert.deepEqual(
    edits.map((edit) => steps.end(edit)),
    [false, false, false],
  );
});

test("where the first edit of a drag is made already, undo takes the step itself", () => {
  const { steps, ask, text } = begin();
  ask("b");
  const edit = steps.begin({ replace: true });
  steps.undo();
  assert.equal(text(), "a");
  assert.equal(steps.end(edit), false);
});

test("an edit lands while others are on their way, and they stay so; another model ends them", () => {
  const { store, steps } = begin();
  const [first, second] = [steps.begin({}), steps.begin({})];
  assert.equal(steps.end(first), true);
  steps.land(asked("a", "explicit"), {});
  assert.deepEqual(steps.pending, [second]);
  store.set({ question: asked("a", "uploaded") });
  assert.equal(steps.end(second), false);
});

test("an edit that begins takes away what was said of the last one", () => {
  const { store, steps } = begin();
  store.set({ unchanged: new Error("refused") });
  steps.begin({});
  assert.equal(store.get().unchanged, null);
});

test("500 steps are kept", () => {
  const { steps, ask, text } = begin();
  for (let at = 1; at <= 503; at++) ask(String(at));
  for (let at = 0; at < 600; at++) steps.undo();
  assert.equal(text(), "3");
});

import assert from "node:assert/strict";
import test from "node:test";
import { startStepping } from "../../../static/js/editing/stepping.js";
import { begin, dropEdit, isWanted, commit, redo, undo } from "../../../static/js/editing/undo.js";
import { createStore } from "../../../static/js/lib/store.js";

const NO_STEPS = { past: [], future: [], pending: [] };
const asked = (text, model = "one") => ({ text, model: { source: model } });

/** A page that asks a, and takes steps from there. */
function open() {
  const store = createStore({ messages: {} }, { question: asked("a"), unchanged: null, steps: NO_STEPS });
  startStepping(store);
  const ask = (text, how) => store.set({ question: { ...store.get().question, text } }, how);
  const move = (...moves) => moves.map((each) => (each(store), store.get().question.text));
  return { store, ask, move };
}

test("undo goes back through every question, and redo forward again", () => {
  const { ask, move } = open();
  ask("b");
  ask("c");
  assert.deepEqual(move(undo, undo, undo, redo, redo, redo), ["b", "a", "a", "b", "c", "c"]);
});

test("a new question leaves nothing to redo", () => {
  const { ask, move } = open();
  ask("b");
  move(undo);
  ask("c");
  assert.deepEqual(move(redo, undo), ["c", "a"]);
});

test("what replaces the change before belongs to the same step", () => {
  const { ask, move } = open();
  ask("b");
  ask("bc", { replace: true });
  ask("bcd", { replace: true });
  assert.deepEqual(move(undo, redo), ["a", "bcd"]);
});

test("what was typed and typed back is no step to stop at", () => {
  const { store, ask, move } = open();
  ask("b");
  ask("c");
  store.set({ question: { ...store.get().question, text: "b" } }, { replace: true });
  assert.deepEqual(move(undo), ["a"]);
});

test("undo sets the question and its steps in one change", () => {
  const { store, ask, move } = open();
  ask("b");
  const calls = [];
  store.subscribe(({ question, steps }) => calls.push([question.text, steps.past.length, steps.future.length]));
  move(undo);
  assert.deepEqual(calls, [["a", 0, 1]]);
});

test("a step may be taken back while its numbers are on their way", () => {
  const { store, ask, move } = open();
  ask("b");
  const edit = begin(store, {});
  assert.equal(isWanted(store, edit), true);
  assert.deepEqual(move(undo), ["b"]);
  assert.equal(isWanted(store, edit), false);
  assert.deepEqual(move(undo), ["a"]);
});

test("an edit whose numbers do not come is on its way no more", () => {
  const { store } = open();
  const edit = begin(store, {});
  dropEdit(store, edit);
  assert.deepEqual(store.get().steps, NO_STEPS);
});

test("taking back a drag takes back every edit of it that is on its way", () => {
  const { store, ask, move } = open();
  ask("b");
  const [other, ...edits] = [{}, {}, { replace: true }, { replace: true }].map((how) => begin(store, how));
  assert.deepEqual(move(undo), ["b"]);
  assert.deepEqual(
    edits.map((edit) => isWanted(store, edit)),
    [false, false, false],
  );
  assert.equal(isWanted(store, other), true);
});

test("where the first edit of a drag is made already, undo takes the step itself", () => {
  const { store, ask, move } = open();
  ask("b");
  const edit = begin(store, { replace: true });
  assert.deepEqual(move(undo), ["a"]);
  assert.equal(isWanted(store, edit), false);
});

test("an edit lands while others are on their way, and they stay so; another model ends them", () => {
  const { store, move } = open();
  const [first, second] = [begin(store, {}), begin(store, {})];
  commit(store, first, asked("a", "explicit"));
  assert.deepEqual(store.get().steps, { past: [asked("a")], future: [], pending: [second] });
  store.set({ question: asked("a", "uploaded") });
  assert.equal(isWanted(store, second), false);
  move(undo);
  assert.equal(store.get().question.model.source, "explicit");
  begin(store, {});
  move(redo);
  assert.deepEqual(store.get().steps.pending, []);
});

test("an edit of a drag that lands belongs to the step before it, and its listeners learn how", () => {
  const { store, ask } = open();
  ask("b");
  const calls = [];
  store.subscribe((state, previous, how) => calls.push(how));
  const edit = begin(store, { replace: true, typing: true });
  commit(store, edit, asked("c"));
  assert.equal(store.get().steps.past.length, 1);
  assert.deepEqual(calls.at(-1), { replace: true, typing: true });
});

test("an edit that begins takes away what was said of the last one, and so does another question", () => {
  const { store, ask } = open();
  for (const change of [() => dropEdit(store, begin(store, {})), () => ask("b"), () => undo(store)]) {
    store.set({ unchanged: new Error("refused") });
    change();
    assert.equal(store.get().unchanged, null);
  }
});

test("500 steps are kept", () => {
  const { ask, move } = open();
  for (let at = 1; at <= 503; at++) ask(String(at));
  assert.equal(move(...Array(600).fill(undo)).at(-1), "3");
});

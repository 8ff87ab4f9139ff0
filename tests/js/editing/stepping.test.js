import assert from "node:assert/strict";
import test from "node:test";
import { withStep, startStepping } from "../../../static/js/editing/stepping.js";
import { createStore } from "../../../static/js/lib/store.js";

const NO_STEPS = { past: [], future: [], pending: [] };
const asked = (text, model = "one") => ({ text, model });
const texts = (store) => store.get().steps.past.map(({ text }) => text);

/** A page that asks a, and notes its steps. */
function open(steps = NO_STEPS) {
  const store = createStore({ messages: {} }, { question: asked("a"), unchanged: null, steps });
  startStepping(store);
  return store;
}

test("every question that was is a step, and what replaces a change belongs to its step", () => {
  const store = open();
  store.set({ question: asked("b") });
  store.set({ question: asked("bc") }, { replace: true });
  store.set({ question: asked("d") });
  assert.deepEqual(texts(store), ["a", "bc"]);
});

test("the first change is a step though it replaces another", () => {
  const store = open();
  store.set({ question: asked("b") }, { replace: true });
  assert.deepEqual(texts(store), ["a"]);
});

test("what changes no question, or brings steps of its own, is none", () => {
  const store = open();
  store.set({ unchanged: new Error("refused") });
  store.set({ question: asked("b"), steps: { ...NO_STEPS, future: [asked("c")] } });
  assert.deepEqual(store.get().steps, { ...NO_STEPS, future: [asked("c")] });
});

test("a change by a listener is a step of its own, whichever was called first", () => {
  const store = createStore({ messages: {} }, { question: asked("a"), unchanged: null, steps: NO_STEPS });
  store.subscribe(({ question }) => {
    if (question.text === "b") store.set({ question: asked("c") });
  });
  startStepping(store);
  store.set({ question: asked("b") });
  assert.deepEqual(texts(store), ["a", "b"]);
});

test("a step leaves nothing to redo, and of its edits on their way those of the same model", () => {
  const edit = {};
  const store = open({ past: [], future: [asked("z")], pending: [edit] });
  store.set({ question: asked("b") });
  assert.deepEqual(store.get().steps, { past: [asked("a")], future: [], pending: [edit] });
  store.set({ question: asked("b", "another") });
  assert.deepEqual(store.get().steps.pending, []);
});

test("500 steps are kept", () => {
  let steps = NO_STEPS;
  for (let at = 0; at < 503; at++) steps = withStep(steps, asked(String(at)), {});
  assert.deepEqual([steps.past.length, steps.past[0].text], [500, "3"]);
});

import assert from "node:assert/strict";
import test from "node:test";
import { differenceOf } from "../../../static/js/compare/pair.js";
import { sideStore } from "../../../static/js/compare/pair-stores.js";
import { createStore } from "../../../static/js/lib/store.js";
import { answerOf } from "../support/made.js";
import { answer, page, question } from "../support/sent.js";

const view = { batch: 0, layer: 0, head: 0, cell: null };
const side = (name) => ({ answer: answer(name), question: question(name), status: "ready", view: null, hover: null });
const comparison = (more = {}) =>
  createStore(page, { a: side("cat"), b: side("dog"), view, hover: null, align: "position", theme: "dark", ...more });
const tokens = (...all) => {
  const zeros = all.map(() => all.map(() => 0));
  return answerOf({ scores: [[zeros]] }, { tokens: [all], lengths: [all.length] });
};

test("a side draws its own question, the difference the difference", () => {
  const pair = comparison();
  const [a, difference] = [sideStore(pair, "a"), sideStore(pair, "difference")];
  const made = differenceOf(page, pair.get());
  assert.equal(a.get().question, pair.get().a.question);
  assert.deepEqual([a.get().answer, difference.get().answer], [made.sides.a, made]);
  assert.equal(a.get().theme, "dark");
  assert.equal(a.get(), a.get());
  const seen = a.get().view;
  pair.set({ hover: { stage: "weights", row: 0, col: 0 } });
  assert.equal(a.get().view, seen); // what is looked at is the same
});

test("a cell is given to each side where it lies there, and back", () => {
  const [a, b] = [tokens("a", "cat"), tokens("a", "black", "cat")];
  const both = { a: { ...side("cat"), answer: a }, b: { ...side("cat"), answer: b }, align: "edit" };
  const pair = comparison(both);
  const stores = { a: sideStore(pair, "a"), b: sideStore(pair, "b") };
  stores.a.set({ hover: { stage: "scores", row: 1, col: 0 } });
  assert.deepEqual(pair.get().hover, { stage: "scores", row: 2, col: 0 });
  assert.deepEqual(stores.b.get().hover, { stage: "scores", row: 2, col: 0 });
  stores.b.set({ view: { ...stores.b.get().view, cell: { stage: "scores", row: 1, col: 1 } } });
  assert.deepEqual(pair.get().view.cell, { stage: "scores", row: 1, col: 1 });
  assert.equal(stores.a.get().view.cell, null); // it has no black
});

test("what a side changes of itself stays its own; what is looked at is shared", () => {
  const pair = comparison();
  const [a, b, difference] = ["a", "b", "difference"].map((name) => sideStore(pair, name));
  a.set({ attempt: 3 });
  assert.deepEqual([pair.get().a.attempt, pair.get().b.attempt], [3, undefined]);
  difference.set({ view: { ...difference.get().view, head: 1 }, attempt: 9 });
  assert.deepEqual([a.get().view.head, b.get().view.head, pair.get().a.attempt], [1, 1, 3]);
  const before = pair.get().view;
  a.set({ view: { ...a.get().view } });
  assert.equal(pair.get().view, before);
});

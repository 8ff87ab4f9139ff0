import assert from "node:assert/strict";
import test from "node:test";
import { isPresent, markOthers } from "../../../static/js/question/shown-answers.js";
import { settle } from "../support/clock.js";
import { newDocument } from "../support/document.js";
import { answer, question } from "../support/sent.js";
import { storeOf } from "../support/state.js";

const made = newDocument();
globalThis.MutationObserver = made.defaultView.MutationObserver;

test("an answer is present by its trace, and a sentence by its place in the batch", () => {
  const cases = [
    ["a", "a", 0, true],
    ["b", "a", 0, false],
    ["a", "", 0, false],
    ["b a", "a", 0, true], // a change is drawn from two
    ["a batch=1", "a", 1, true],
    ["a batch=1", "a", 0, false],
  ];
  for (const [shown, trace, batch, present] of cases) assert.equal(isPresent(shown, trace, batch), present, shown);
});

test("a part of another answer is marked until its own reply has come", async () => {
  made.body.innerHTML = '<div id="looks"></div><p data-trace="old"></p><i></i>';
  const [looks, part, silent] = made.body.children;
  const others = () => [looks, part, silent].map((each) => each.hasAttribute("data-other"));
  const store = storeOf("cat");
  markOthers(store);
  assert.deepEqual(others(), [false, true, false]);
  part.dataset.trace = store.get().answer.reply.trace;
  await settle();
  assert.deepEqual(others(), [false, false, false]);
  store.set({ question: question("dog"), status: "asking" });
  assert.deepEqual(others(), [true, true, false]);
  store.set({ status: "failed" });
  assert.deepEqual(others(), [true, true, false]);
  store.set({ answer: answer("dog"), status: "ready" });
  assert.deepEqual(others(), [false, true, false]);
  delete part.dataset.trace; // it shows no answer any more
  await settle();
  assert.deepEqual(others(), [false, false, false]);
});

test("another head of the same question marks nothing", () => {
  made.body.innerHTML = '<div id="looks"></div>';
  const store = storeOf("cat");
  markOthers(store);
  store.set({ view: { ...store.get().view, head: 1 }, status: "slow" });
  assert.equal(made.body.querySelector("[data-other]"), null);
});

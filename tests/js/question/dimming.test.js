import assert from "node:assert/strict";
import test from "node:test";
import { startDimming } from "../../../static/js/question/dimming.js";
import { newDocument } from "../support/document.js";
import { storeOf } from "../support/state.js";
import { question } from "../support/sent.js";

const made = newDocument();
made.body = made.createElement("body");
const outdated = () => document.body.hasAttribute("data-outdated");

test("pictures of another question are dimmed once its answer is slow, until it is there", () => {
  const store = storeOf("cat");
  startDimming(store);
  store.set({ question: question("dog"), status: "asking" });
  assert.equal(outdated(), false);
  store.set({ status: "slow" });
  assert.equal(outdated(), true);
  store.set({ status: "ready" });
  assert.equal(outdated(), false);
});

test("another head of the same question dims nothing", () => {
  const store = storeOf("cat");
  startDimming(store);
  store.set({ view: { ...store.get().view, head: 1 }, status: "asking" });
  store.set({ status: "slow" });
  assert.equal(outdated(), false);
});

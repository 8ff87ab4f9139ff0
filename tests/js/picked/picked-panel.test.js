import assert from "node:assert/strict";
import test from "node:test";
import { picked } from "../../../static/js/picked/picked-panel.js";
import { newDocument } from "../support/document.js";
import { storeOf } from "../support/state.js";

const document = newDocument();

/** The panel on a store, and a round of the event loop in which its script comes. */
function panel(view = {}, more = {}) {
  const root = document.createElement("section");
  const store = storeOf("cat", view, more);
  const part = picked(root, store);
  const drawn = async () => {
    part.update(store.get());
    await import("../../../static/js/picked/token-sums.js");
    await new Promise(setImmediate);
  };
  return { root, store, part, drawn };
}
const CAT = { picked: { axis: "query", at: [1] } };

test("nothing is drawn before a token is picked", async () => {
  const { root, drawn } = panel();
  await drawn();
  assert.equal(root.textContent, "");
});

test("nor while there is no answer", async () => {
  const { root, drawn } = panel(CAT, { answer: null });
  await drawn();
  assert.equal(root.textContent, "");
});

test("what a picked token sums to is drawn as soon as the script is there", async () => {
  const { root, drawn } = panel(CAT);
  await drawn();
  assert.equal(root.querySelector("h2").textContent, "cat");
});

test("a token that is picked meanwhile is the one that is shown", async () => {
  const { root, store, part, drawn } = panel(CAT);
  part.update(store.get());
  store.set({ view: { ...store.get().view, picked: { axis: "query", at: [4] } } }, { silent: true });
  await drawn();
  assert.equal(root.querySelector("h2").textContent, "dog");
});

test("it goes away with the token, and with the page", async () => {
  const { root, store, part, drawn } = panel(CAT);
  await drawn();
  const previous = store.get();
  part.update({ ...previous, view: { ...previous.view, picked: null } }, previous);
  assert.equal(root.textContent, "");
  part.update(previous);
  assert.notEqual(root.textContent, "");
  part.destroy();
  assert.equal(root.textContent, "");
});

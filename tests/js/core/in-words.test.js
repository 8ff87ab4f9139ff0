import assert from "node:assert/strict";
import test from "node:test";
import { inWords, setLens, storeInWords, wordView } from "../../../static/js/core/in-words.js";
import { storeOf } from "../support/state.js";

test("a view in words is given what the lens sees, and what it sets comes back as pieces", () => {
  const store = storeOf("cat");
  assert.equal(inWords(store.get()), store.get()); // before there is a lens
  setLens({
    wordState: (state) => ({ ...state, hover: "words" }),
    back: (patch) => ({ ...patch, pointed: "pieces" }),
  });
  const given = [];
  const view = (root, own) => ({ update: (state) => given.push(state.hover), destroy() {}, own });
  wordView(view)(null, store).update(store.get());
  wordView(view, () => false)(null, store).update(store.get());
  assert.deepEqual(given, ["words", null]);
  const seen = storeInWords(store);
  seen.set({ exact: 3 });
  assert.deepEqual([store.get().exact, store.get().pointed, seen.base === store], [3, "pieces", true]);
  setLens(/** @type {any} */ (null));
});

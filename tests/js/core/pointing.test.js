import assert from "node:assert/strict";
import test from "node:test";
import * as pointing from "../../../static/js/core/pointing.js";
import { storeOf } from "../support/state.js";

const cell = (stage, row, col) => ({ stage, row, col });

test("a token is pointed at once, and let go of once", () => {
  const store = storeOf("cat");
  let calls = 0;
  store.subscribe(() => (calls += 1));
  pointing.point(store, "key", null);
  pointing.point(store, "key", 2);
  pointing.point(store, "key", 2);
  assert.deepEqual([calls, store.get().pointed], [1, { axis: "key", at: 2 }]);
  pointing.point(store, "key", null);
  assert.deepEqual([calls, store.get().pointed], [2, null]);
});

test("tokens are picked one at a time, or several of one axis", () => {
  const store = storeOf("cat");
  const pick = (axis, token, more) => {
    pointing.togglePick(store, axis, token, more);
    return store.get().view.picked;
  };
  assert.deepEqual(pick("query", 2, false), { axis: "query", at: [2] });
  assert.deepEqual(pick("query", 0, true), { axis: "query", at: [2, 0] });
  assert.deepEqual(pick("query", 2, true), { axis: "query", at: [0] });
  assert.deepEqual(pick("key", 1, true), { axis: "key", at: [1] });
  assert.equal(pick("key", 1, false), null);
  pick("key", 1, false);
  pick("key", 3, true);
  assert.deepEqual(pick("key", 3, false), { axis: "key", at: [3] }); // of two the one that is meant
  assert.equal(pick("key", 3, true), null);
});

test("letting go forgets the trail", () => {
  const store = storeOf("cat", { cell: cell("q", 0, 0) }, { trail: [cell("x", 0, 0)] });
  pointing.unpin(store);
  assert.deepEqual([store.get().view.cell, store.get().trail], [null, []]);
});

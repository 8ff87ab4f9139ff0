import assert from "node:assert/strict";
import test from "node:test";
import { headsChangeStore, changeStore } from "../../../static/js/change/changed-stores.js";
import { createStore } from "../../../static/js/lib/store.js";
import { page } from "../support/sent.js";

const create = () => createStore(page, { answer: "now", every: "weights", view: { rollout: true, head: 0 } });

test("a change stands in the answer's place, and everything else stays", () => {
  const store = create();
  const seen = changeStore(store);
  assert.equal(seen.store.get().answer, null); // until it is there
  seen.change = "change";
  assert.deepEqual(seen.store.get(), { ...store.get(), answer: "change" });
  assert.equal(seen.store.get(), seen.store.get());
  assert.equal(seen.change, "change");
});

test("what is set is set on the page's store, and listeners hear it with the change in its place", () => {
  const store = create();
  const seen = changeStore(store);
  seen.change = "change";
  const heard = [];
  seen.store.subscribe((state, previous) => heard.push([state.answer, previous.answer, state.view.head]));
  seen.store.set({ view: { rollout: false, head: 3 } });
  assert.equal(store.get().view.head, 3);
  assert.deepEqual(heard, [["change", "change", 3]]);
});

test("the same change again is not announced", () => {
  const seen = changeStore(create());
  const heard = [];
  seen.store.subscribe(({ answer }) => heard.push(answer));
  for (const change of ["one", "one", "two", null]) seen.change = change;
  assert.deepEqual(heard, ["one", "two", null]);
});

test("among heads the change stands in the weights' place, drawn with a sign, and nothing is rolled out", () => {
  const store = create();
  const seen = headsChangeStore(store);
  assert.equal(seen.store.get().every, null);
  seen.change = { every: "changed weights" };
  const { answer, every, view } = seen.store.get();
  assert.deepEqual([answer, every, view], ["now", "changed weights", { rollout: false, head: 0 }]);
  const kind = ({ stages }) => stages.find(({ name }) => name === "weights").kind;
  assert.deepEqual([kind(seen.store.page), kind(store.page)], ["difference", "weights"]);
});

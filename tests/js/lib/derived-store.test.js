import assert from "node:assert/strict";
import test from "node:test";
import { deriveStore } from "../../../static/js/lib/derived-store.js";
import { createStore } from "../../../static/js/lib/store.js";

const PAGE = { messages: {} };

test("a derived store sees the other's state, once made the same object", () => {
  const store = createStore(PAGE, { n: 2 });
  let made = 0;
  const twice = deriveStore(store, ({ n }) => ({ n: 2 * n, made: ++made }), {});
  const heard = [];
  twice.subscribe((state, previous) => heard.push([state.n, previous.n]));
  assert.equal(twice.get(), twice.get());
  store.set({ n: 3 });
  assert.deepEqual(heard, [[6, 4]]);
  assert.equal(twice.get().made, 2);
  assert.equal(twice.t, store.t);
});

test("what a derived store has of its own reaches its listeners alone", () => {
  const store = createStore(PAGE, { n: 2 });
  const plus = deriveStore(store, ({ n }, { by }) => ({ n: n + by }), { by: 1 });
  const heard = [];
  store.subscribe(() => heard.push("store"));
  const stop = plus.subscribe((state, previous) => heard.push([state.n, previous.n]));
  plus.put({ by: 10 });
  stop();
  plus.put({ by: 20 });
  assert.deepEqual(heard, [[12, 3]]);
  assert.deepEqual(plus.own(), { by: 20 });
  assert.equal(plus.get().n, 22);
});

test("a derived store keeps what stayed the same, and may set in its own way", () => {
  const store = createStore(PAGE, { view: { head: 1 }, n: 0 });
  const seen = deriveStore(
    store,
    ({ view }, _, last) => ({ view: last?.from.view === view ? last.state.view : { ...view, seen: true } }),
    {},
    { set: ({ n }) => store.set({ n: -n }) },
  );
  const { view } = seen.get();
  seen.set({ n: 5 });
  assert.equal(store.get().n, -5);
  assert.equal(seen.get().view, view);
  assert.deepEqual(view, { head: 1, seen: true });
});

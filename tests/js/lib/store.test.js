import assert from "node:assert/strict";
import test from "node:test";
import { createStore } from "../../../static/js/lib/store.js";

const PAGE = { messages: { "cell.place": "{row} and {col}, {row}" } };
const create = () => createStore(PAGE, { row: 1, col: 2 });

test("a patch changes what it names and leaves the rest; the state before stays as it was", () => {
  const store = create();
  const before = store.get();
  store.set({ row: 5 });
  assert.deepEqual(store.get(), { row: 5, col: 2 });
  assert.deepEqual(before, { row: 1, col: 2 });
  assert.equal(store.page, PAGE);
});

test("a listener gets the state, the one before, and how it changed", () => {
  const store = create();
  const calls = [];
  store.subscribe((...all) => calls.push(all));
  store.set({ row: 2 }, { typing: true });
  store.set({ col: 3 });
  assert.deepEqual(calls, [
    [{ row: 2, col: 2 }, { row: 1, col: 2 }, { typing: true }],
    [{ row: 2, col: 3 }, { row: 2, col: 2 }, {}],
  ]);
});

test("who stops listening is called no more, even in the middle of a round", () => {
  const store = create();
  const calls = [];
  const stop = store.subscribe(() => {
    calls.push("once");
    stop();
  });
  store.subscribe(() => calls.push("always"));
  store.set({ row: 2 });
  store.set({ row: 3 });
  assert.deepEqual(calls, ["once", "always", "always"]);
});

test("a sentence has its values filled in; what is not given stays, and an unknown one is its key", () => {
  const { t } = create();
  assert.equal(t("cell.place", { row: 3, col: 0 }), "3 and 0, 3");
  assert.equal(t("cell.place", { row: null }), "null and {col}, null");
  assert.equal(t("no.such"), "no.such");
});

test("a sentence says one of one and another of any other number, numbers or how they are written", () => {
  const { t } = createStore({ messages: { size: "{n} {n|head|heads}", more: "{n|piece,|pieces, each}" } }, {});
  assert.deepEqual(
    [1, 2, 0, "1", "1,000"].map((n) => t("size", { n })),
    ["1 head", "2 heads", "0 heads", "1 head", "1,000 heads"],
  );
  assert.deepEqual(
    [t("more", { n: 1 }), t("more", { n: 3 }), t("more")],
    ["piece,", "pieces, each", "{n|piece,|pieces, each}"],
  );
});

test("the language decides which numbers take the first form", () => {
  const messages = { n: "{n|a|b}" };
  const forms = (lang) => [0, 1, 2].map((n) => createStore({ lang, messages }, {}).t("n", { n })).join("");
  assert.deepEqual(["en", "fr", "zh"].map(forms), ["bab", "aab", "bbb"]);
});

test("whole numbers are shown with the separators of the language", () => {
  const messages = { n: "{n}" };
  const written = (lang, n) => createStore({ lang, messages }, {}).t("n", { n });
  assert.deepEqual([written("en", 44022), written("zh", 44022), written("de", 44022)], ["44,022", "44,022", "44.022"]);
  assert.deepEqual([written("en", 999), written("en", 1234.5), written("en", "44022")], ["999", "1234.5", "44022"]);
  assert.deepEqual([written("en", -7), written("en", -999), written("de", -1000)], ["-7", "-999", "-1.000"]);
});

test("what a listener sets is there at once; other listeners get it when the round is over", () => {
  const store = createStore(PAGE, { a: 0, b: 0 });
  const heard = { first: [], last: [] };
  store.subscribe(({ a, b }, previous) => {
    heard.first.push([a, b, previous.a, previous.b]);
    if (a !== previous.a) store.set({ b: 10 * a });
    assert.equal(store.get().b, 10);
  });
  store.subscribe(({ a, b }, previous) => heard.last.push([a, b, previous.a, previous.b]));
  store.set({ a: 1 });
  assert.deepEqual(heard.first, [
    [1, 0, 0, 0],
    [1, 10, 1, 0],
  ]);
  assert.deepEqual(heard.last, heard.first);
});

test("two listeners that set lose nothing of each other", () => {
  const store = createStore(PAGE, { a: 0, b: {} });
  for (const name of ["x", "y"])
    store.subscribe((state, previous) => {
      if (state.a !== previous.a) store.set({ b: { ...store.get().b, [name]: state.a } });
    });
  store.set({ a: 1 });
  assert.deepEqual(store.get().b, { x: 1, y: 1 });
});

test("a listener that fails keeps no other from hearing", () => {
  const store = createStore(PAGE, { a: 0 });
  let heard = 0;
  store.subscribe(() => {
    throw new Error("broken");
  });
  store.subscribe(() => (heard += 1));
  assert.throws(() => store.set({ a: 1 }), /broken/);
  assert.throws(() => store.set({ a: 2 }), /broken/);
  assert.equal(heard, 2);
});

test("who leaves in the middle of a round hears no more of it", () => {
  const store = createStore(PAGE, { a: 0 });
  const heard = [];
  let stop = () => {};
  store.subscribe(() => stop());
  stop = store.subscribe(() => heard.push("gone"));
  store.set({ a: 1 });
  assert.deepEqual(heard, []);
});

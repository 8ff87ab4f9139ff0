import assert from "node:assert/strict";
import test from "node:test";
import { openAddress } from "../../support/address-bar.js";

openAddress("/");
/** The script as a page loads it anew: with the tab's storage, and without what it kept before. */
const load = (page) => import(`../../../../static/js/core/address/long-questions.js?page=${page}`);
const trace = "0123456789abcdef0123456789abcdef";

test("an address is too long for browsers, or its query for servers", async () => {
  const { isTooLong } = await load(1);
  assert.equal(isTooLong(`/?text=${"a".repeat(5900)}`), false);
  assert.equal(isTooLong(`/?text=${"a".repeat(6000)}`), true);
  assert.equal(isTooLong(`/#${"a".repeat(29_000)}`), false);
  assert.equal(isTooLong(`/#${"a".repeat(30_000)}`), true);
});

test("a question is kept under its trace, and known by it", async () => {
  const { keep, findKept, keptName } = await load(1);
  const question = { text: "a" };
  assert.equal(keptName(question), undefined);
  assert.equal(keep(question, trace), trace);
  assert.equal(findKept(trace), question);
  assert.equal(keptName(question), trace);
  assert.deepEqual([findKept(null), findKept("f".repeat(32))], [undefined, undefined]);
});

test("without a trace it has a name of the tab's own, which stays its name and is no other's", async () => {
  const { keep } = await load(1);
  const [one, other] = [{ text: "a" }, { text: "b" }];
  const name = keep(one);
  assert.equal(keep(one), name);
  assert.notEqual(keep(other), name);
});

test("a reload finds it in the tab's storage, but not what its trace names: that the server has", async () => {
  const { keep } = await load(1);
  const name = keep({ text: "over a reload" });
  keep({ text: "by trace" }, trace);
  const anew = await load(2);
  assert.deepEqual(anew.findKept(name), { text: "over a reload" });
  assert.equal(anew.findKept(name), anew.findKept(name));
  assert.equal(anew.findKept(trace), undefined);
});

test("a text of many pages is laid down once it is still, or the page goes; under a name taken over lies the last", async () => {
  const { keep, findKept, flush, keptName, ownNameOf } = await load(1);
  const [one, other] = ["a", "b"].map((letter) => ({ text: letter.repeat(40_000) }));
  const name = keep(one);
  assert.equal(sessionStorage.getItem(name), null);
  assert.equal(keep(other, ownNameOf(one)), name);
  assert.deepEqual([findKept(name), keptName(one), keptName(other)], [other, undefined, name]);
  flush();
  assert.deepEqual(JSON.parse(sessionStorage.getItem(name)), other);
  keep(other, trace);
  assert.equal(ownNameOf(other), undefined);
});

test("where the storage is full the oldest goes first, and nothing that is another's", async () => {
  const { keep } = await load(1);
  const room = 3;
  const shelf = { theme: "dark" };
  const methods = {
    getItem: (name) => shelf[name] ?? null,
    removeItem: (name) => delete shelf[name],
    setItem(name, text) {
      if (!(name in shelf) && Object.keys(shelf).length > room) throw new Error("full");
      shelf[name] = text;
    },
  };
  const before = globalThis.sessionStorage;
  globalThis.sessionStorage = new Proxy(shelf, { get: (_, name) => methods[name] ?? shelf[name] });
  const names = ["a", "b", "c", "d"].map((text) => keep({ text }));
  assert.deepEqual(Object.keys(shelf), ["theme", ...names.slice(1)]);
  globalThis.sessionStorage = before;
});

test("a reader who forbids the storage loses nothing but the reload", async () => {
  const before = globalThis.sessionStorage;
  Object.defineProperty(globalThis, "sessionStorage", {
    configurable: true,
    get: () => {
      throw new Error("forbidden");
    },
  });
  const { keep, findKept } = await load(1);
  const question = { text: "forbidden" };
  assert.equal(findKept(keep(question)), question);
  assert.equal(findKept("new-1"), undefined);
  Object.defineProperty(globalThis, "sessionStorage", { configurable: true, writable: true, value: before });
});

import assert from "node:assert/strict";
import test from "node:test";
import { startAllHeads } from "../../../static/js/core/all-heads.js";
import { setView } from "../../../static/js/core/actions.js";
import { Answer } from "../../../static/js/core/answer.js";
import { settle } from "../support/clock.js";
import { later, offline, serve } from "../support/server.js";
import { answer, bytes, page } from "../support/sent.js";
import { storeOf } from "../support/state.js";

let made = 0;

/** The bytes of a reply of a trace that nobody has asked about: how its heads behave is asked once. */
function fresh(name) {
  const own = Buffer.from(bytes(name));
  own.write(String(++made).padStart(32, "0"), own.indexOf(answer(name).reply.trace));
  return own.buffer.slice(own.byteOffset, own.byteOffset + own.byteLength);
}

/** A page with an answer of some heads or of all, and a server that measures heads. */
function start(name, heads, view = { tab: "heads" }, reply = fresh(name), weights = () => reply) {
  const asked = serve(({ path }) => (path.includes("/heads?") ? { heads: [{ layer: 0, head: 0 }] } : weights()));
  const store = storeOf(name, view, { answer: new Answer(reply, heads) });
  startAllHeads(store);
  return { store, asked };
}
const paths = (asked) => asked.map(({ path }) => path.replace(/.*\/(\w+)(\?.*)?$/, "$1"));
const twice = async () => {
  for (let turn = 0; turn < 3; turn++) await settle();
};

test("among the stages nothing is asked, in another tab it is", async () => {
  const { store, asked } = start("cat", null, {});
  await twice();
  assert.deepEqual([store.get().every, asked.length], [null, 0]);
  setView(store, { tab: "heads" });
  await twice();
  assert.equal(store.get().every.answer, store.get().answer);
});

test("an answer of all heads is enough: only how they behave is asked", async () => {
  const { store, asked } = start("cat", null);
  await twice();
  assert.deepEqual(paths(asked), ["heads"]);
  assert.deepEqual(store.get().metrics, [{ layer: 0, head: 0 }]);
  assert.equal(store.get().every.masked.answer, store.get().answer);
});

test("an answer with more layers of the same trace takes the place of its first part", async () => {
  const reply = fresh("cat");
  const { store, asked } = start("cat", null, {}, reply);
  const whole = store.get().answer;
  const part = Object.assign(new Answer(reply, null), { tensors: new Map([...whole.tensors].slice(1)) });
  store.set({ answer: part });
  setView(store, { tab: "lines" });
  await twice();
  assert.equal(store.get().every.answer, part);
  store.set({ answer: whole });
  await twice();
  assert.equal(store.get().every.answer, whole);
  assert.deepEqual(paths(asked), ["heads"]);
});

test("of an answer of some heads the weights of all are asked for, once", async () => {
  const { store, asked } = start("cat", [1]);
  await twice();
  setView(store, { head: 1 });
  await twice();
  assert.deepEqual(paths(asked), ["attention", "heads"]);
  assert.deepEqual(asked[0].body.stages, ["weights"]);
  assert.equal(store.get().every.answer.heads, null);
});

test("another sentence is measured anew, and another answer asked for anew", async () => {
  const { store, asked } = start("batch", [0]);
  await twice();
  setView(store, { batch: 1 });
  await twice();
  assert.deepEqual(paths(asked), ["attention", "heads", "heads"]);
  store.set({ answer: new Answer(fresh("dog"), [0]) });
  await twice();
  assert.equal(paths(asked).filter((path) => path === "attention").length, 2);
});

test("without them the head that is here is shown, and no measures", async () => {
  const { store } = start("cat", [0], { tab: "heads" }, fresh("cat"), offline);
  serve(offline);
  await twice();
  await twice();
  assert.equal(store.get().every.answer, store.get().answer);
  assert.deepEqual(store.get().metrics, []);
});

test("what comes for an answer that was left is dropped", async () => {
  const slow = later();
  const { store } = start("cat", [0], { tab: "heads" }, fresh("cat"), () => slow.reply);
  await settle();
  const next = answer("dog");
  store.set({ answer: next });
  await twice();
  slow.give(bytes("cat"));
  await twice();
  assert.equal(store.get().every.answer, next);
});

import assert from "node:assert/strict";
import test from "node:test";
import { setView } from "../../../static/js/core/actions.js";
import { togglePin } from "../../../static/js/core/pointing.js";
import { startExplaining } from "../../../static/js/inspector/explanation.js";
import { settle } from "../support/clock.js";
import { later, offline, refused, serve } from "../support/server.js";
import { answer } from "../support/sent.js";
import { storeOf } from "../support/state.js";

function start(name, reply) {
  const asked = serve(reply);
  const store = storeOf(name);
  startExplaining(store);
  return { store, asked };
}
const cell = (stage, row, col) => ({ stage, row, col });

test("a pinned cell is explained", async () => {
  const { store, asked } = start("cat", () => ({ value: 3 }));
  togglePin(store, cell("scores", 1, 2));
  await settle();
  const { trace } = store.get().answer.reply;
  assert.deepEqual(store.get().explanation, { value: 3, of: `${trace} batch=0` });
  assert.equal(asked[0].path, `/api/v1/traces/${trace}/cells/scores?batch=0&layer=0&head=0&row=1&col=2`);
});

test("a cell of shared keys is asked for by the head that has them", async () => {
  const { store, asked } = start("grouped", () => ({}));
  setView(store, { head: 3 });
  togglePin(store, cell("k", 0, 0));
  await settle();
  assert.match(asked.at(-1).path, /cells\/k\?batch=0&layer=0&head=1&/);
});

test("under another cell the old arithmetic is gone at once, and what comes for the first is dropped", async () => {
  const first = later();
  const { store } = start("cat", ({ path }) => (path.includes("/q?") ? first.reply : { value: 2 }));
  togglePin(store, cell("k", 0, 0));
  await settle();
  togglePin(store, cell("q", 0, 0));
  assert.equal(store.get().explanation, null);
  togglePin(store, cell("v", 0, 0));
  await settle();
  first.give({ value: 1 });
  await settle();
  assert.equal(store.get().explanation.value, 2);
});

test("another head, sentence, layer or answer is explained anew, what is merely looked at is not", async () => {
  const { store, asked } = start("cat", () => ({}));
  togglePin(store, cell("q", 0, 0));
  setView(store, { head: 1 });
  await settle();
  const before = asked.length;
  setView(store, { precision: 8 });
  await settle();
  assert.equal(asked.length, before);
  store.set({ answer: answer("dog") });
  await settle();
  assert.equal(asked.length, before + 1);
});

test("why there is none is shown, and another try asks again", async () => {
  const { store } = start("cat", offline);
  togglePin(store, cell("q", 0, 0));
  await settle();
  assert.deepEqual([store.get().unexplained.code, store.get().explanation], ["offline", null]);
  serve(() => ({ value: 1 }));
  store.set({ attempt: 1 }, { silent: true });
  await settle();
  assert.deepEqual([store.get().unexplained, store.get().explanation.value], [null, 1]);
});

test("letting go of the cell leaves nothing to explain", async () => {
  const { store, asked } = start("cat", () => refused(422, "out_of_range"));
  togglePin(store, cell("q", 0, 0));
  await settle();
  togglePin(store, cell("q", 0, 0));
  await settle();
  assert.deepEqual([store.get().explanation, store.get().unexplained, asked.length], [null, null, 1]);
});

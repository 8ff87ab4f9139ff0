import assert from "node:assert/strict";
import test from "node:test";
import { Problem } from "../../../static/js/core/api.js";
import { startRetrying, unanswered } from "../../../static/js/core/retrying.js";
import { stopClock } from "../support/clock.js";
import { storeOf } from "../support/state.js";

const clock = stopClock();
const gone = () => new Problem({});
const busy = new Problem({ code: "busy", status: 503 });

test("only what failed for want of a server is unanswered", () => {
  const problem = gone();
  assert.equal(unanswered({ problem, unexplained: null }), problem);
  assert.equal(unanswered({ problem: busy, unexplained: problem }), problem);
  assert.equal(unanswered({ problem: busy, unexplained: null }), null);
});

test("while the server is gone it is asked again after 1, 2, 4 … 15 seconds", async () => {
  const store = storeOf("cat");
  startRetrying(store);
  // Each try fails again, with a problem of its own.
  store.subscribe((state, before) => {
    if (state.attempt !== before.attempt) store.set({ problem: gone() });
  });
  store.set({ problem: gone() });
  const attempts = [];
  for (const seconds of [0.999, 0.001, 2, 4, 8, 15, 15]) {
    await clock.pass(1000 * seconds);
    attempts.push(store.get().attempt);
  }
  assert.deepEqual(attempts, [0, 1, 2, 3, 4, 5, 6]);
});

test("once it has answered nobody is asked again, and the next failure begins with a second", async () => {
  const store = storeOf("cat");
  startRetrying(store);
  store.set({ problem: gone() });
  await clock.pass(1000);
  store.set({ problem: gone() });
  store.set({ problem: null });
  await clock.pass(60_000);
  assert.equal(store.get().attempt, 1);
  store.set({ unexplained: gone() });
  await clock.pass(1000);
  assert.equal(store.get().attempt, 2);
});

test("a refusal is no reason to ask again", async () => {
  const store = storeOf("cat");
  startRetrying(store);
  store.set({ problem: busy });
  await clock.pass(60_000);
  assert.equal(store.get().attempt, 0);
});

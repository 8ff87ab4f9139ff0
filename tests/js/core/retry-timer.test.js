import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { failing, problemAt } from "../../../static/js/core/api.js";
import { secondsOf, startRetries } from "../../../static/js/core/retry-timer.js";
import { wake } from "../../../static/js/lib/retry.js";
import { settle, stopClock } from "../support/clock.js";
import { storeOf } from "../support/state.js";

const clock = stopClock();
const PATH = "/api/v1/traces/1/probe";
const gone = (path = PATH) => problemAt(path);
const busy = (after) => problemAt(PATH, { status: 503, code: "busy", after: String(after) });

/** A store whose part fails again with each round, unless `heal` was called. */
function started(fail = gone, before = () => {}) {
  failing.clear();
  before();
  const store = storeOf("cat");
  let heals = false;
  store.subscribe((state, before) => {
    if (state.attempt !== before.attempt && !heals) fail();
  });
  startRetries(store);
  return { store, heal: () => (heals = true), count: () => store.get().attempt };
}

describe("asking again", () => {
  after(() => {
    failing.clear();
    failing.changed = () => {};
  });

  test("what failed before this began is asked for again after 1, 2, 4 … 15 seconds", async () => {
    const { heal, count } = started(gone, gone);
    const counts = [];
    for (const seconds of [0.999, 0.001, 2, 4, 8, 15, 15]) {
      await clock.pass(1000 * seconds);
      counts.push(count());
    }
    assert.deepEqual(counts, [0, 1, 2, 3, 4, 5, 6]);
    heal();
    await clock.pass(60_000);
    assert.equal(count(), 7); // nothing fails any more
    assert.equal(clock.waiting, 0);
  });

  test("an answer to anything asks for the rest at once, but once a pause", async () => {
    const { count } = started();
    gone();
    await settle();
    wake();
    await settle();
    assert.equal(count(), 1);
    for (let at = 0; at < 5; at++) wake();
    await settle();
    assert.equal(count(), 1); // this one path stays away
    await clock.pass(2000);
    assert.equal(count(), 2);
    wake();
    await settle();
    assert.equal(count(), 3);
  });

  test("a server that says when is not asked before, and not later than a minute", async () => {
    for (const [after, seconds] of [
      [7, 7],
      [3600, 60],
    ]) {
      const { count, heal } = started(() => busy(after));
      busy(after);
      heal();
      await clock.pass(1000 * seconds - 1);
      wake();
      await settle();
      assert.equal(count(), 0);
      await clock.pass(1);
      assert.equal(count(), 1);
      await clock.pass(60_000);
    }
  });

  test("what is refused for good is not asked for again", async () => {
    const { count } = started();
    problemAt(PATH, { status: 422, code: "invalid" });
    problemAt("/static/js/pages/explore.js");
    await clock.pass(60_000);
    assert.equal(count(), 0);
  });

  test("what was answered is not asked for again, and the next failure begins with a second", async () => {
    const { count, heal } = started();
    gone();
    await clock.pass(1000);
    heal();
    failing.delete(PATH);
    gone();
    failing.delete(PATH);
    problemAt(PATH, { status: 422, code: "invalid" });
    await clock.pass(60_000);
    assert.equal(count(), 1);
    gone();
    await clock.pass(1000);
    assert.equal(count(), 2);
  });

  test("Retry-After is in seconds or a date", () => {
    const soon = new Date(Date.now() + 9500).toUTCString();
    assert.deepEqual(["7", "", "soon", "0", "-1", new Date(0).toUTCString()].map(secondsOf), [7, 0, 0, 0, 0, 0]);
    assert.ok([9, 10].includes(secondsOf(soon)));
  });
});

import assert from "node:assert/strict";
import test from "node:test";
import { shareRequests } from "../../../static/js/lib/shared-requests.js";

/** Asks that are answered by hand. */
function start() {
  const share = shareRequests();
  /** @type {{signal: AbortSignal, resolve: (found: number) => void, reject: (error: Error) => void}[]} */
  const asked = [];
  const ask = (/** @type {AbortSignal} */ signal) =>
    new Promise((resolve, reject) => asked.push({ signal, resolve, reject }));
  /** @param {string} key */
  const want = (key) => {
    const controller = new AbortController();
    return { found: share(key, ask, controller.signal), leave: () => controller.abort() };
  };
  return { asked, want };
}

test("two that want one thing share a request, and a later one asks again", async () => {
  const { asked, want } = start();
  const [one, two, other] = [want("a"), want("a"), want("b")];
  assert.equal(asked.length, 2);
  asked[0].resolve(1);
  asked[1].resolve(2);
  assert.deepEqual(await Promise.all([one.found, two.found, other.found]), [1, 1, 2]);
  want("a");
  assert.equal(asked.length, 3);
});

test("a request is aborted when all have left, and not before", async () => {
  const { asked, want } = start();
  const [one, two] = [want("a"), want("a")];
  one.leave();
  assert.equal(asked[0].signal.aborted, false);
  two.leave();
  assert.equal(asked[0].signal.aborted, true);
  const again = want("a");
  asked[0].reject(new Error("aborted"));
  await assert.rejects(two.found, /aborted/);
  const last = want("a");
  assert.equal(asked.length, 2);
  asked[1].resolve(3);
  assert.deepEqual(await Promise.all([again.found, last.found]), [3, 3]);
});

test("a failure is told to each, and the next asks again", async () => {
  const { asked, want } = start();
  const [one, two] = [want("a"), want("a")];
  asked[0].reject(new Error("busy"));
  await assert.rejects(one.found, /busy/);
  await assert.rejects(two.found, /busy/);
  want("a");
  assert.equal(asked.length, 2);
});

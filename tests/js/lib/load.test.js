import assert from "node:assert/strict";
import test from "node:test";
import { lazyLoad, setReplacedCheck, loadOrNull } from "../../../static/js/lib/load.js";
import { settle, stopClock } from "../support/clock.js";

const clock = stopClock();
const missing = () => Promise.reject(new TypeError("Failed to fetch dynamically imported module"));

/** A script that comes at the last of so many tries. */
function late(tries) {
  const load = () => (++load.tries < tries ? missing() : Promise.resolve("script"));
  load.tries = 0;
  return load;
}

test("a script that comes at once is handed over, and nothing is shown", async () => {
  const calls = [];
  assert.equal(await lazyLoad(late(1), (replaced) => calls.push(replaced)), "script");
  assert.deepEqual(calls, []);
});

test("a script that does not come is asked for again after 1, 2, 4 … 15 seconds", async () => {
  const load = late(8);
  const calls = [];
  const found = lazyLoad(load, (replaced) => calls.push(replaced));
  const tries = [];
  for (const seconds of [1, 2, 4, 8, 15, 15, 15]) {
    await clock.pass(1000 * seconds - 1);
    tries.push(load.tries);
    await clock.pass(1);
  }
  assert.deepEqual(tries, [1, 2, 3, 4, 5, 6, 7]);
  assert.equal(await found, "script");
  assert.deepEqual(calls, [false]); // once
});

test("a script that is broken is not asked for again", async () => {
  await assert.rejects(
    lazyLoad(() => Promise.reject(new SyntaxError("bad"))),
    SyntaxError,
  );
  assert.equal(clock.waiting, 0);
});

test("where the server has another version, no script is asked for again and it is said", async () => {
  let replaced = false;
  setReplacedCheck(async () => replaced);
  const load = late(Infinity);
  const calls = [];
  let settled = false;
  lazyLoad(load, (gone) => calls.push(gone)).finally(() => (settled = true));
  await clock.pass(1000);
  replaced = true;
  await clock.pass(2000);
  assert.deepEqual(calls, [false, true]);
  await clock.pass(60_000);
  await settle();
  assert.deepEqual([load.tries, settled, clock.waiting], [3, false, 0]);
});

test("what a page waits for is not waited for where it will never come", async () => {
  setReplacedCheck(async () => true);
  assert.equal(await loadOrNull(late(1)), "script");
  assert.equal(await loadOrNull(late(2)), null);
  await assert.rejects(
    loadOrNull(() => Promise.reject(new SyntaxError("bad"))),
    SyntaxError,
  );
});

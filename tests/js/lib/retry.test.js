import assert from "node:assert/strict";
import test from "node:test";
import { nextPause, pauseUntilWoken, retry, wake } from "../../../static/js/lib/retry.js";
import { stopClock } from "../support/clock.js";

const clock = stopClock();

test("pauses double from one second on, to fifteen at the most", () => {
  const pauses = [];
  for (let pause = nextPause(0); pauses.length < 6; pause = nextPause(pause)) pauses.push(pause);
  assert.deepEqual(pauses, [1, 2, 4, 8, 15, 15]);
});

test("an attempt is made again after each pause, until it succeeds", async () => {
  let attempts = 0;
  const tried = [];
  const found = retry(
    async () => {
      attempts += 1;
      if (attempts < 3) throw new Error("gone");
      return "found";
    },
    (/** @type {any} */ error, tries) => tried.push([error.message, tries]) > 0,
  );
  await clock.pass(999);
  assert.equal(attempts, 1);
  await clock.pass(1);
  assert.equal(attempts, 2);
  await clock.pass(2000);
  assert.equal(await found, "found");
  assert.deepEqual(tried, [
    ["gone", 1],
    ["gone", 2],
  ]);
});

test("the last error is thrown once nobody goes on", async () => {
  const failing = () => Promise.reject(new Error("refused"));
  await assert.rejects(
    retry(failing, async () => false),
    /refused/,
  );
  assert.equal(clock.waiting, 0);
});

test("who is patient waits until the time is up or the server answers", async () => {
  const [slow, woken] = [pauseUntilWoken(2000), pauseUntilWoken(60_000)];
  await clock.pass(2000);
  assert.ok(!(await slow));
  wake();
  assert.equal(await woken, true);
  await clock.pass(60_000);
});

test("an answer ends a pause early, but not that after an early try that failed", async () => {
  let attempts = 0;
  const failing = () => ((attempts += 1) < 4 ? Promise.reject(new Error("gone")) : Promise.resolve("found"));
  const found = retry(failing, () => true);
  for (const seconds of [0, 0]) {
    await clock.pass(seconds);
    wake();
  }
  await clock.pass(1999);
  assert.equal(attempts, 2);
  await clock.pass(1);
  assert.equal(attempts, 3);
  wake();
  assert.equal(await found, "found");
});

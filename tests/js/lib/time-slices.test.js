import assert from "node:assert/strict";
import test from "node:test";
import { runInSlices, turn } from "../../../static/js/lib/time-slices.js";

const frames = [];
let now = 0;
const page = { hidden: false };
Object.assign(globalThis, {
  document: page,
  requestAnimationFrame: (next) => frames.push(next),
  performance: { now: () => now },
});

const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Draws a frame, and does what was put off until behind it. */
async function draw() {
  await settle();
  const due = frames.splice(0);
  for (const next of due) next(0);
  await new Promise((resolve) => setTimeout(resolve, 2));
  await settle();
  return due.length;
}

test("those who wait go one a frame, in the order in which they came", async () => {
  const went = [];
  for (const name of ["first", "second", "third"]) turn().then(() => went.push(name));
  await settle();
  assert.deepEqual(went, []);
  assert.equal(await draw(), 1);
  assert.deepEqual(went, ["first"]);
  await draw();
  await draw();
  assert.deepEqual(went, ["first", "second", "third"]);
});

test("as many as fit go in one turn", async () => {
  const done = [];
  const all = runInSlices([3, 3, 3, 9, 1], (taken) => {
    now += taken;
    done.push(taken);
  });
  await draw();
  assert.deepEqual(done, [3, 3, 3]); // 8 ms are over after the third
  await draw();
  assert.deepEqual(done, [3, 3, 3, 9]);
  await draw();
  await all;
  assert.deepEqual(done, [3, 3, 3, 9, 1]);
});

test("a page that nobody sees draws no frames, and waits for none", async () => {
  page.hidden = true;
  await turn();
  page.hidden = false;
  assert.deepEqual(frames, []);
});

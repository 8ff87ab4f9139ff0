import assert from "node:assert/strict";
import test, { beforeEach } from "node:test";
import {
  anySolved,
  forgetSolved,
  isFinished,
  isSolved,
  noteShown,
  noteSolved,
  wasShown,
} from "../../../static/js/learn/done.js";

/** @type {Map<string, string>} */
const kept = new Map();
Object.defineProperty(globalThis, "localStorage", {
  value: {
    getItem: (/** @type {string} */ name) => kept.get(name) ?? null,
    setItem: (/** @type {string} */ name, /** @type {string} */ text) => void kept.set(name, text),
  },
  configurable: true,
});
beforeEach(forgetSolved);

test("an exercise is solved under its own seed alone", () => {
  noteSolved("scores", 0, 1);
  noteSolved("scores", 0, 1);
  assert.equal(kept.get("exercises-solved"), "scores 0.1");
  assert.deepEqual(
    [isSolved("scores", 0, 1), isSolved("scores", 1, 1), isSolved("scores", 0, 0), isSolved("masks", 0, 1)],
    [true, false, false, false],
  );
});

test("a chapter is finished when each of its exercises was solved under any seed", () => {
  noteSolved("scores", 0, 0);
  noteSolved("scores", 7, 2);
  assert.equal(isFinished("scores", 3), false);
  noteSolved("scores", 3, 1);
  assert.deepEqual([isFinished("scores", 3), isFinished("scores", 4), isFinished("masks", 3)], [true, false, false]);
});

test("an answer that was shown stays noted when what was solved is forgotten", () => {
  noteShown("scores", 0, 0);
  noteSolved("scores", 0, 1);
  forgetSolved();
  assert.deepEqual([wasShown("scores", 0, 0), wasShown("scores", 0, 1), anySolved()], [true, false, false]);
});

test("all of it can be forgotten", () => {
  noteSolved("scores", 0, 0);
  assert.equal(anySolved(), true);
  forgetSolved();
  assert.deepEqual([anySolved(), isSolved("scores", 0, 0)], [false, false]);
});

test("what is kept stays small, and what is no exercise is not read", () => {
  for (let seed = 0; seed < 500; seed++) noteSolved("scores", seed, 0);
  assert.deepEqual([isSolved("scores", 99, 0), isSolved("scores", 100, 0)], [false, true]);
  kept.set("exercises-solved", "scores 0.0 x 1.2.3;;masks");
  assert.deepEqual([isSolved("scores", 0, 0), isFinished("scores", 1), isFinished("masks", 1)], [true, true, false]);
});

import assert from "node:assert/strict";
import test, { beforeEach } from "node:test";
import {
  addProgress,
  anySolved,
  countSolved,
  forgetSolved,
  isFinished,
  isRead,
  isSolved,
  noteRead,
  noteShown,
  noteSolved,
  progressText,
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

test("progress goes to another machine and is added to what is there", () => {
  noteSolved("scores", 0, 1);
  noteSolved("scores", 5, 1); // the same exercise under another seed
  noteShown("masks", 0, 2);
  const text = progressText();
  kept.clear();
  forgetSolved();
  noteSolved("softmax", 0, 0);
  assert.equal(addProgress(text), true);
  assert.deepEqual(
    [isSolved("scores", 0, 1), isSolved("scores", 5, 1), isSolved("softmax", 0, 0), wasShown("masks", 0, 2)],
    [true, true, true, true],
  );
  assert.equal(countSolved(), 2);
});

test("chapters are marked as read and as not read, and go with the progress; an older file has none", () => {
  for (const chapter of ["scores", "masks", "scores"]) noteRead(chapter);
  noteRead("masks", false);
  assert.deepEqual([isRead("scores"), isRead("masks")], [true, false]);
  const text = progressText();
  kept.set("chapters-read", "softmax");
  assert.equal(addProgress(text), true);
  const older = JSON.stringify({ format: "attnscope progress 1", solved: "", shown: "" });
  assert.equal(addProgress(older), true);
  assert.equal(kept.get("chapters-read"), "softmax scores");
  forgetSolved();
  assert.equal(isRead("softmax"), true);
});

test("what is no progress changes nothing, and what is no exercise is left out", () => {
  noteSolved("scores", 0, 1);
  const before = progressText();
  const other = before.replace("progress 1", "progress 2");
  const noText = before.replace('"read":"', '"read":3,"":"');
  for (const text of [noText, "", "{", "null", "[]", '{"format": "attnscope progress 1"}', other])
    assert.equal(addProgress(text), false, text);
  assert.equal(progressText(), before);
  assert.equal(addProgress(before.replace("scores 0.1", "scores 0.1 x 1.999 -1.0;<b> 0.0;")), true);
  assert.equal(kept.get("exercises-solved"), "scores 0.1");
});

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
  BY_PLACE,
} from "../../../static/js/learn/solved.js";

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

test("an exercise is solved under its own seed alone, by its name", () => {
  noteSolved("scores", 0, "which_key");
  noteSolved("scores", 0, "which_key");
  assert.equal(kept.get("exercises-solved"), "scores 0.which_key");
  assert.deepEqual(
    [
      isSolved("scores", 0, "which_key"),
      isSolved("scores", 1, "which_key"),
      isSolved("scores", 0, "one_score"),
      isSolved("masks", 0, "which_key"),
    ],
    [true, false, false, false],
  );
});

test("a chapter is finished when each of its exercises was solved under any seed", () => {
  noteSolved("scores", 0, "one_score");
  noteSolved("scores", 7, "longer_query");
  const three = ["one_score", "which_key", "longer_query"];
  assert.equal(isFinished("scores", three), false);
  noteSolved("scores", 3, "which_key");
  assert.deepEqual(
    [
      isFinished("scores", three),
      isFinished("scores", three.toReversed()),
      isFinished("scores", [...three, "wrong_cell"]),
      isFinished("masks", three),
      isFinished("scores", []),
    ],
    [true, true, false, false, false],
  );
});

test("progress by place is read where the exercise never moved, and dropped elsewhere", () => {
  kept.set("exercises-solved", "scores 0.0 7.2 0.9;training_step 0.0 0.1;gradients 3.0;constructor 0.0");
  assert.deepEqual(
    [
      isSolved("scores", 0, "one_score"),
      isSolved("scores", 7, "longer_query"),
      countSolved("scores", ["one_score", "which_key", "longer_query"]),
      countSolved("training_step", ["updated", "pull", "mean_loss"]),
      countSolved("gradients", ["gradient_shape", "own_slope"]),
    ],
    [true, true, 2, 1, 0],
  );
  kept.set("exercises-solved", "");
  const older = { format: "attnscope progress 1", solved: "scores 0.0 0.1;variants 0.0 2.2", shown: "masks 0.3" };
  assert.equal(addProgress(JSON.stringify(older)), true);
  assert.equal(kept.get("exercises-solved"), "scores 0.one_score 0.which_key;variants 2.mirrored");
  assert.equal(wasShown("masks", 0, "second_row"), true);
});

test("an answer that was shown stays noted when what was solved is forgotten", () => {
  noteShown("scores", 0, "one_score");
  noteSolved("scores", 0, "which_key");
  forgetSolved();
  assert.deepEqual(
    [wasShown("scores", 0, "one_score"), wasShown("scores", 0, "which_key"), anySolved()],
    [true, false, false],
  );
});

test("all of it can be forgotten", () => {
  noteSolved("scores", 0, "one_score");
  assert.equal(anySolved(), true);
  forgetSolved();
  assert.deepEqual([anySolved(), isSolved("scores", 0, "one_score")], [false, false]);
});

test("what is kept stays small, and what is no exercise is not read", () => {
  for (let seed = 0; seed < 500; seed++) noteSolved("scores", seed, "one_score");
  assert.deepEqual([isSolved("scores", 99, "one_score"), isSolved("scores", 100, "one_score")], [false, true]);
  kept.set("exercises-solved", "scores 0.one_score x 1.a.3;;masks");
  assert.deepEqual(
    [isSolved("scores", 0, "one_score"), isFinished("scores", ["one_score"]), isFinished("masks", ["open_cells"])],
    [true, true, false],
  );
});

test("progress goes to another machine and is added to what is there", () => {
  noteSolved("scores", 0, "which_key");
  noteSolved("scores", 5, "which_key"); // the same exercise under another seed
  noteShown("masks", 0, "level_row");
  const text = progressText();
  kept.clear();
  forgetSolved();
  noteSolved("softmax", 0, "one_weight");
  assert.equal(addProgress(text), true);
  assert.deepEqual(
    [
      isSolved("scores", 0, "which_key"),
      isSolved("scores", 5, "which_key"),
      isSolved("softmax", 0, "one_weight"),
      wasShown("masks", 0, "level_row"),
    ],
    [true, true, true, true],
  );
  assert.equal(countSolved("scores", ["one_score", "which_key"]), 1);
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
  noteSolved("scores", 0, "which_key");
  const before = progressText();
  const other = before.replace("progress 2", "progress 3");
  const noText = before.replace('"read":"', '"read":3,"":"');
  for (const text of [noText, "", "{", "null", "[]", '{"format": "attnscope progress 1"}', other])
    assert.equal(addProgress(text), false, text);
  assert.equal(progressText(), before);
  assert.equal(addProgress(before.replace("0.which_key", "0.which_key x 1.999 -1.a;<b> 0.a;")), true);
  assert.equal(kept.get("exercises-solved"), "scores 0.which_key");
});

test("an exercise of old progress has one place in its chapter", () => {
  for (const [chapter, places] of BY_PLACE) {
    const names = places.split(" ").filter((name) => name !== "-");
    assert.match(names.join(" "), /^([a-z_]+ ?)+$/, chapter);
    assert.equal(new Set(names).size, names.length, chapter);
  }
});

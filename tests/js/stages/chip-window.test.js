import assert from "node:assert/strict";
import test from "node:test";
import { ChipWindow } from "../../../static/js/stages/chip-window.js";
import { newDocument } from "../support/document.js";
import { storeOf } from "../support/state.js";

newDocument();
const moves = [];
const over = (size) => {
  const made = new ChipWindow(storeOf("cat"), (by) => moves.push(by));
  made.count(size);
  return made;
};
const ends = ({ start, end }) => [start, end];
const idle = ({ before, after }) => [before, after].map((each) => each.getAttribute("aria-disabled"));

test("of a short text all is seen, and nothing leads on", () => {
  const all = over(400);
  assert.deepEqual([all.isPart, ends(all), all.before.hidden, all.show(399)], [false, [0, 400], true, false]);
});

test("of a long one two hundred are seen, around what is selected", () => {
  const part = over(1000);
  assert.deepEqual([ends(part), part.show(199), part.show(500), ends(part)], [[0, 200], false, true, [400, 600]]);
  assert.deepEqual([part.show(999), ends(part)], [true, [800, 1000]]);
  assert.deepEqual([part.show(3), ends(part)], [true, [0, 200]]);
});

test("a press leads on, to the ends and no further", () => {
  const part = over(500);
  assert.deepEqual(idle(part), ["true", "false"]);
  for (let presses = 0; presses < 3; presses += 1) part.after.click();
  assert.deepEqual(
    [ends(part), idle(part), moves],
    [
      [300, 500],
      ["false", "true"],
      [200, 200],
    ],
  );
  part.before.click();
  assert.deepEqual([ends(part), moves.at(-1)], [[100, 300], -200]);
});

test("a text of another length is seen from its beginning, one of the same stays where it is", () => {
  const part = over(500);
  part.show(400);
  part.count(500);
  assert.equal(part.start, 300);
  part.count(501);
  assert.equal(part.start, 0);
});

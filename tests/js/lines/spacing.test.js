import assert from "node:assert/strict";
import test from "node:test";
import { spaced, spacingOf } from "../../../static/js/lines/spacing.js";

const DESK = { count: 12, name: 50, width: 1000, height: 700, density: 1, across: false };

test("few tokens share the height, and every name is written", () => {
  const { pitch, label, gap, length, apart } = spacingOf(DESK);
  assert.deepEqual([pitch, length, apart], [44, 528, 1]);
  assert.deepEqual([label, gap], [106, 820 - 212]);
});

test("tokens that do not fit scroll, a line of text each", () => {
  assert.deepEqual([spacingOf({ ...DESK, count: 100 }).pitch, spacingOf({ ...DESK, count: 100 }).apart], [19, 1]);
});

test("no canvas is taller than a browser draws, and names keep a line of text for themselves", () => {
  for (const density of [1, 2]) {
    const { pitch, length, apart } = spacingOf({ ...DESK, count: 2000, density });
    assert.ok(length * density <= 15_000);
    assert.ok(pitch * apart >= 15 && pitch * (apart - 1) < 15);
  }
});

test("side by side, a name keeps its width for itself", () => {
  assert.equal(spacingOf({ ...DESK, across: true }).pitch, 1000 / 12);
  const { pitch, apart } = spacingOf({ ...DESK, count: 2000, across: true });
  assert.ok(pitch * apart >= 62 && pitch * (apart - 1) < 62);
});

test("a long name takes no more than its share", () => {
  assert.equal(spacingOf({ ...DESK, name: 900 }).label, 194);
});

test("of tokens too near each other the first one named stays", () => {
  assert.deepEqual(spaced([5, 4, 7, 8, 0], 3), [5, 8, 0]);
  assert.deepEqual(spaced([5, 4, 6], 1), [5, 4, 6]);
});

import assert from "node:assert/strict";
import test from "node:test";
import { spacingOf } from "../../../static/js/lines/spacing.js";

const DESK = { count: 12, name: 50, width: 1000, height: 700, across: false };

test("few tokens share the height, and every name is written", () => {
  const { pitch, label, gap, length } = spacingOf(DESK);
  assert.deepEqual([pitch, length], [44, 528]);
  assert.deepEqual([label, gap], [106, 820 - 212]);
});

test("tokens that do not fit scroll, a line of text each", () => {
  assert.equal(spacingOf({ ...DESK, count: 64 }).pitch, 19);
});

test("side by side, a name keeps its width for itself", () => {
  assert.equal(spacingOf({ ...DESK, across: true }).pitch, 1000 / 12);
  assert.equal(spacingOf({ ...DESK, count: 64, across: true }).pitch, 62);
});

test("a long name takes no more than its share", () => {
  assert.equal(spacingOf({ ...DESK, name: 900 }).label, 194);
});

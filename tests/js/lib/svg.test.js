import assert from "node:assert/strict";
import test from "node:test";
import { s, ticks } from "../../../static/js/lib/svg.js";
import { newDocument } from "../support/elements.js";

newDocument();

test("an element of SVG has its attributes and children; what is false is left out", () => {
  const group = s("g", { class: "axis", x: 0, hidden: false, y: null }, s("text", {}, "a"), [null, s("line")], "");
  assert.deepEqual(Object.fromEntries(group.attributes), { class: "axis", x: "0" });
  assert.deepEqual(
    group.children.map(({ localName }) => localName),
    ["text", "line"],
  );
});

test("ticks are 1, 2 or 5 times a power of ten, from 0 to the last that fits", () => {
  assert.deepEqual(ticks(10, 5), [0, 2, 4, 6, 8, 10]);
  assert.deepEqual(ticks(7, 4), [0, 2, 4, 6]);
  assert.deepEqual(ticks(100, 3), [0, 50, 100]);
  assert.deepEqual(ticks(90, 10), [0, 10, 20, 30, 40, 50, 60, 70, 80, 90]);
});

test("small ends have small ticks, and the end itself is one where it is round", () => {
  const found = ticks(0.3, 3);
  assert.equal(found.length, 4);
  found.forEach((tick, at) => assert.ok(Math.abs(tick - at / 10) < 1e-12));
});

test("an axis without length has its 0", () => {
  for (const most of [0, -1, NaN, Infinity]) assert.deepEqual(ticks(most, 4), [0]);
});

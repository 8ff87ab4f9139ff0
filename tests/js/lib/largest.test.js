import assert from "node:assert/strict";
import test from "node:test";
import { largest } from "../../../static/js/lib/largest.js";

const itself = (value) => value;

test("where all fit they keep their order", () => {
  assert.deepEqual(largest([1, 3, 2], 3, itself), [1, 3, 2]);
});

test("where they do not, the largest come first, and what is equal keeps its order", () => {
  assert.deepEqual(largest([1, 3, 2], 2, itself), [3, 2]);
  const entries = [
    { name: "a", weight: 1 },
    { name: "b", weight: 1 },
    { name: "c", weight: 0 },
  ];
  assert.deepEqual(
    largest(entries, 2, ({ weight }) => weight).map(({ name }) => name),
    ["a", "b"],
  );
});

test("what is masked comes last", () => {
  assert.deepEqual(largest([-Infinity, -2, -Infinity, 1], 2, itself), [1, -2]);
});

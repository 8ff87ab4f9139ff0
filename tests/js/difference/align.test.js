import assert from "node:assert/strict";
import test from "node:test";
import { byEdits, byPosition } from "../../../static/js/difference/align.js";

test("by position one stands beside one, and the rest of the longer stands alone", () => {
  assert.deepEqual(byPosition(2, 3), [
    [0, 0],
    [1, 1],
    [null, 2],
  ]);
  assert.deepEqual(byPosition(2, 1), [
    [0, 0],
    [1, null],
  ]);
  assert.deepEqual(byPosition(0, 0), []);
});

/** The least number of edits, by trying all ways. */
function distance(a, b) {
  if (!a.length || !b.length) return a.length + b.length;
  const [[first, ...restA], [other, ...restB]] = [a, b];
  if (first === other) return distance(restA, restB);
  return 1 + Math.min(distance(restA, restB), distance(restA, b), distance(a, restB));
}

const cost = (pairs, a, b) => pairs.filter(([i, j]) => i === null || j === null || a[i] !== b[j]).length;

test("by edits what is inserted or deleted stands alone, and what takes another's place beside it", () => {
  const of = (a, b) => byEdits(a.split(" "), b.split(" "));
  assert.deepEqual(of("the cat", "the big cat"), [
    [0, 0],
    [null, 1],
    [1, 2],
  ]);
  assert.deepEqual(of("the big cat", "the cat"), [
    [0, 0],
    [1, null],
    [2, 1],
  ]);
  assert.deepEqual(of("a cat", "a dog"), [
    [0, 0],
    [1, 1],
  ]);
});

test("no other way needs fewer edits, and every token stands once and in its order", () => {
  const texts = ["", "a", "ab", "ba", "aab", "abca", "cab", "bbbb", "abcab", "acbca"].map((text) => [...text]);
  for (const a of texts)
    for (const b of texts) {
      const pairs = byEdits(a, b);
      assert.equal(cost(pairs, a, b), distance(a, b), `${a.join("")} and ${b.join("")}`);
      for (const [side, all] of [a, b].entries())
        assert.deepEqual(
          pairs.map((pair) => pair[side]).filter((at) => at !== null),
          all.map((_, at) => at),
        );
    }
});

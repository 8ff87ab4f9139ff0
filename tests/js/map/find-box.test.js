import assert from "node:assert/strict";
import test from "node:test";
import { foundIn, nextOf } from "../../../static/js/map/find-box.js";

const TOKENS = ["The", " cat", "Category", null, "the", "THE"];

test("a word is found however it is written, and its parts where there is no such word", () => {
  assert.deepEqual(foundIn(TOKENS, "the"), [0, 4, 5]);
  assert.deepEqual(foundIn(TOKENS, " Cat "), [1]);
  assert.deepEqual(foundIn(TOKENS, "at"), [1, 2]);
  assert.deepEqual(foundIn(TOKENS, "dog"), []);
  assert.deepEqual(foundIn(TOKENS, "  "), []);
});

test("one after the other, round and round, either way", () => {
  assert.equal(nextOf([2, 5, 9], null, 1), 2);
  assert.equal(nextOf([2, 5, 9], 5, 1), 9);
  assert.equal(nextOf([2, 5, 9], 9, 1), 2);
  assert.equal(nextOf([2, 5, 9], null, -1), 9);
  assert.equal(nextOf([2, 5, 9], 2, -1), 9);
  assert.equal(nextOf([2, 5, 9], 4, 1), 5);
});

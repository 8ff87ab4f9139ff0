import assert from "node:assert/strict";
import test from "node:test";
import { truncate, nameStep, namedTokens } from "../../../static/js/map/visible-names.js";

test("as many names as have room, by powers of two", () => {
  assert.equal(nameStep(20, 14), 1);
  assert.equal(nameStep(14, 14), 1);
  assert.equal(nameStep(13, 14), 2);
  assert.equal(nameStep(0.01, 14), 2048);
});

test("the same tokens are named wherever the map is moved to", () => {
  assert.deepEqual(namedTokens([0, 10], 4), [0, 4, 8]);
  assert.deepEqual(namedTokens([3, 10], 4), [4, 8]);
  assert.deepEqual(namedTokens([5, 8], 4), []);
  assert.deepEqual(namedTokens([5, 8], 1), [5, 6, 7]);
});

test("a name is cut where it has no room, between signs and not within one", () => {
  const measure = (text) => [...text].length;
  assert.equal(truncate("street", 6, measure), "street");
  assert.equal(truncate("street", 4, measure), "str…");
  assert.equal(truncate("🐈🐈🐈🐈", 3, measure), "🐈🐈…");
  assert.equal(truncate("street", 0, measure), "s");
});

import assert from "node:assert/strict";
import test from "node:test";
import { cutTo, everyFor, namedIn } from "../../../static/js/map/visible-names.js";

test("as many names as have room, by powers of two", () => {
  assert.equal(everyFor(20, 14), 1);
  assert.equal(everyFor(14, 14), 1);
  assert.equal(everyFor(13, 14), 2);
  assert.equal(everyFor(0.01, 14), 2048);
});

test("the same tokens are named wherever the map is moved to", () => {
  assert.deepEqual(namedIn([0, 10], 4), [0, 4, 8]);
  assert.deepEqual(namedIn([3, 10], 4), [4, 8]);
  assert.deepEqual(namedIn([5, 8], 4), []);
  assert.deepEqual(namedIn([5, 8], 1), [5, 6, 7]);
});

test("a name is cut where it has no room, between signs and not within one", () => {
  const measure = (text) => [...text].length;
  assert.equal(cutTo("street", 6, measure), "street");
  assert.equal(cutTo("street", 4, measure), "str…");
  assert.equal(cutTo("🐈🐈🐈🐈", 3, measure), "🐈🐈…");
  assert.equal(cutTo("street", 0, measure), "s");
});

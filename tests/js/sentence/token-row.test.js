import assert from "node:assert/strict";
import test from "node:test";
import { MOST, holds, partAround } from "../../../static/js/sentence/token-row.js";

test("a short text is written whole", () => {
  const part = partAround(MOST, 3, null);
  assert.deepEqual(part, { from: 0, to: MOST });
  assert.equal(partAround(MOST, 9, part), part);
  assert.deepEqual(partAround(12, 9, part), { from: 0, to: 12 });
});

test("of a long one as much, around the token and inside the text", () => {
  for (const at of [0, 10, 500, 995, 999]) {
    const part = partAround(1000, at, null);
    assert.equal(part.to - part.from, MOST);
    assert.ok(holds(part, at) && part.from >= 0 && part.to <= 1000);
  }
});

test("it stays where it is as long as it holds the token", () => {
  const part = partAround(1000, 500, null);
  assert.equal(partAround(1000, part.to - 1, part), part);
  assert.notEqual(partAround(1000, part.to, part), part);
  assert.notEqual(partAround(100, 500, { from: 480, to: 544 }), part);
});

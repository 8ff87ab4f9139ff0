import assert from "node:assert/strict";
import test from "node:test";
import { namedTokens } from "../../../static/js/captures/capture-screen.js";

const named = (text, batch, count, spare = 0, ids = false) => namedTokens(text, { batch, count, spare, ids });

test("tokens stand one a line or in JSON, and a line may begin with a bracket", () => {
  for (const [text, rows] of [
    ["The\ncat\n", [["The", "cat"]]],
    ["[CLS]\r\n cat", [["[CLS]", " cat"]]],
    ['["The", "a\\nb"]', [["The", "a\nb"]]],
    ['[["The", "cat"]]', [["The", "cat"]]],
    [" \n", null],
  ])
    assert.deepEqual(named(text, 1, 2), { rows }, text);
  assert.deepEqual(named('[["a", "b"], ["c"]]', 2, 2), { rows: [["a", "b"], ["c"]] });
  assert.deepEqual(named("a\nb\nc", 1, 2, 1), { rows: [["a", "b", "c"]] });
});

test("a wrong count is said", () => {
  assert.deepEqual(named("a\nb\nc", 1, 2), { wrong: "capture.count", values: { found: 3, n: 2 } });
  assert.deepEqual(named('["a"]', 1, 2), { wrong: "capture.count", values: { found: 1, n: 2 } });
  assert.deepEqual(named("a\nb", 2, 2), { wrong: "capture.texts", values: { found: 1, batch: 2 } });
});

test("ids are whole numbers, and there must be some", () => {
  for (const [text, rows] of [
    ["3\n12\n", [[3, 12]]],
    ["[3, 12]", [[3, 12]]],
    ["[[3, 12]]", [[3, 12]]],
  ])
    assert.deepEqual(named(text, 1, 2, 0, true), { rows }, text);
  for (const text of ["", "3\ncat", '["3", "12"]', "[3.5, 12]"])
    assert.deepEqual(named(text, 1, 2, 0, true), { wrong: "capture.no_ids" }, text);
  const short = named("3", 1, 2, 0, true);
  assert.equal("wrong" in short && short.wrong, "capture.count");
});

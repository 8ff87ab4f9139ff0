import assert from "node:assert/strict";
import test from "node:test";
import { namedTokens } from "../../../static/js/captures/named-tokens.js";

test("tokens stand one a line or in JSON, and a line may begin with a bracket", () => {
  for (const [text, rows] of [
    ["The\ncat\n", [["The", "cat"]]],
    ["[CLS]\r\n cat", [["[CLS]", " cat"]]],
    ['["The", "a\\nb"]', [["The", "a\nb"]]],
    ['[["The", "cat"]]', [["The", "cat"]]],
    [" \n", null],
  ])
    assert.deepEqual(namedTokens(text, 1, 2), { rows }, text);
  assert.deepEqual(namedTokens('[["a", "b"], ["c"]]', 2, 2), { rows: [["a", "b"], ["c"]] });
  assert.deepEqual(namedTokens("a\nb\nc", 1, 2, 1), { rows: [["a", "b", "c"]] });
});

test("a wrong count is said", () => {
  assert.deepEqual(namedTokens("a\nb\nc", 1, 2), { wrong: "capture.count", values: { found: 3, n: 2 } });
  assert.deepEqual(namedTokens('["a"]', 1, 2), { wrong: "capture.count", values: { found: 1, n: 2 } });
  assert.deepEqual(namedTokens("a\nb", 2, 2), { wrong: "capture.texts", values: { found: 1, batch: 2 } });
});

import assert from "node:assert/strict";
import test from "node:test";
import { decoded, marked, partsOf } from "../../../static/js/core/pieces.js";

test("a piece with a space before it is its word behind a mark", () => {
  assert.deepEqual(partsOf(" Potter"), { mark: "·", word: "Potter" });
  assert.equal(marked(" Potter"), "·Potter");
});

test("a word, a part of one and a byte are as they are", () => {
  for (const piece of ["Harry", "ter", "<C3>", "", "很"]) assert.deepEqual(partsOf(piece), { mark: "", word: piece });
});

test("white space alone does not vanish", () => {
  assert.deepEqual([" ", "\n", "\n\n", " \t", "\u00a0"].map(marked), ["␣", "↵", "↵↵", "␣⇥", "␣"]);
});

test("what is no space has a name of its own", () => {
  const signs = ["\r\n", "\ufeff", "\u2028", "\v", "\u3000"];
  assert.deepEqual(signs.map(marked), ["U+000D↵", "U+FEFF", "U+2028", "U+000B", "␣"]);
});

test("a combining mark stands on a circle where it has no letter", () => {
  assert.deepEqual(["\u0301", " \u0308", "\u094d", "e\u0301"].map(marked), [
    "◌\u0301",
    "·◌\u0308",
    "◌\u094d",
    "e\u0301",
  ]);
});

test("signs that leave no mark are named, and joiners inside an emoji are left alone", () => {
  assert.deepEqual(["\u0000", "\u0007", "\u007f", "\u0085", "\u200b", "\ufe0f", "\u{e0001}"].map(marked), [
    "U+0000", "U+0007", "U+007F", "U+0085", "U+200B", "U+FE0F", "U+E0001",
  ]); // prettier-ignore
  assert.equal(marked(" a\u0007b\nc"), "·aU+0007b↵c");
  assert.equal(marked("👩\u200d👧"), "👩\u200d👧");
  assert.equal(marked("e\u0301"), "e\u0301");
});

test("a byte order mark is decoded from its bytes", () => {
  assert.equal(decoded("<EF><BB><BF>a<C3><A9>"), "\ufeffaé");
});

import assert from "node:assert/strict";
import test from "node:test";
import { marked, partsOf } from "../../../static/js/core/pieces.js";

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

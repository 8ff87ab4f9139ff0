import assert from "node:assert/strict";
import test from "node:test";
import { cutText, lineOf } from "../../../static/js/question/cut-text.js";

test("a text ends after so many characters, of which a surrogate pair is one", () => {
  assert.equal(cutText("one two three", 0, 7), "one two");
  assert.equal(cutText("🐟🐟🐟", 0, 2), "🐟🐟");
});

test("of a batch the sentence that is too long is cut, wherever blank lines stand", () => {
  assert.equal(lineOf("text"), 0);
  assert.equal(lineOf("text[2]"), 2);
  assert.equal(cutText("a b\n\nc d e\nf", 1, 3), "a b\n\nc d\nf");
});

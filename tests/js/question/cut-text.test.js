import assert from "node:assert/strict";
import test from "node:test";
import { cutText, textAt, withTextAt } from "../../../static/js/question/cut-text.js";

test("a text ends after so many characters, of which a surrogate pair is one", () => {
  assert.equal(cutText("one two three", false, 0, 7), "one two");
  assert.equal(cutText("🐟🐟🐟", false, 0, 2), "🐟🐟");
});

test("of a batch the sentence that is too long is cut, wherever blank lines stand", () => {
  assert.equal(textAt("text"), 0);
  assert.equal(textAt("text[2]"), 2);
  assert.equal(cutText("a b\n\nc d e\nf", false, 1, 3), "a b\n\nc d\nf");
});

test("a text with line breaks of its own is cut as one", () => {
  assert.equal(cutText("a\nb\nc", true, 0, 3), "a\nb");
});

const loud = (text) => text.toUpperCase();

test("one line of a box is changed, and blank lines are none", () => {
  assert.equal(withTextAt("a\n \nb\nc", false, 1, loud), "a\n \nB\nc");
  assert.equal(withTextAt("a\nb", false, 2, loud), "a\nb");
});

test("where line breaks belong to the text it is changed with them", () => {
  assert.equal(withTextAt("a\nb", true, 0, loud), "A\nB");
  assert.equal(withTextAt("a\nb\n␞\nc\n\nd", true, 1, loud), "a\nb\n␞\nC\n\nD");
});

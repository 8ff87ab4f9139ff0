import assert from "node:assert/strict";
import test from "node:test";
import { withTextAt } from "../../../static/js/question/one-text.js";

const loud = (text) => text.toUpperCase();

test("one line of a box is changed, and blank lines are none", () => {
  assert.equal(withTextAt("a\n \nb\nc", false, 1, loud), "a\n \nB\nc");
  assert.equal(withTextAt("a\nb", false, 2, loud), "a\nb");
});

test("where line breaks belong to the text it is changed with them", () => {
  assert.equal(withTextAt("a\nb", true, 0, loud), "A\nB");
  assert.equal(withTextAt("a\nb\n␞\nc\n\nd", true, 1, loud), "a\nb\n␞\nC\n\nD");
});

/** Words stand where the Unicode Bidirectional Algorithm puts them. */

import assert from "node:assert/strict";
import test from "node:test";
import { levelsOf, visualOrder } from "../../../static/js/lib/reading-order.js";

/** The words of a text as they stand from left to right; "+" before a word: nothing between it and the one before. */
function seen(text) {
  const words = text.split(" ").map((word) => ({ text: word.replace(/^\+/, ""), apart: !word.startsWith("+") }));
  const { levels, spaces } = levelsOf(words);
  return visualOrder(levels, spaces)
    .map((at) => words[at].text)
    .join(" ");
}

test("Hebrew and Arabic run from right to left, Latin and numbers within them from left to right", () => {
  assert.equal(seen("one two three"), "one two three");
  assert.equal(seen("שלום עולם טוב"), "טוב עולם שלום");
  assert.equal(seen("أكل الولد التفاحة"), "التفاحة الولد أكل");
  assert.equal(seen("הוא אמר hello big world ללכת"), "ללכת hello big world אמר הוא");
  assert.equal(seen("he said שלום עולם to them"), "he said עולם שלום to them");
  assert.equal(seen("בשנת 1948 היה"), "היה 1948 בשנת");
  assert.equal(seen("מספר 12 34"), "34 12 מספר"); // two numbers are two runs
  assert.equal(seen("מספר 12 +. +34 כאן"), "כאן 12 . 34 מספר"); // one number is one
  assert.equal(seen("גרסה v 2 כאן"), "כאן v 2 גרסה"); // a number behind Latin goes with it
  assert.equal(seen("שלום +, עולם +."), ". עולם , שלום");
});

test("Arabic digits and signs of units stand as they do in a text", () => {
  assert.equal(seen("the numbers ٣ ٤ here"), "the numbers ٤ ٣ here");
  assert.equal(seen("שלום abc ٣٤"), "٣٤ abc שלום");
  assert.equal(seen("בערך 50 +% מכולם"), "מכולם 50 % בערך");
  assert.equal(seen("מחיר $ +3"), "$ 3 מחיר");
  assert.equal(seen("نحو 50 +% منهم"), "منهم % 50 نحو"); // after Arabic letters, they stand behind the number
});

test("Arabic and Hebrew punctuation runs with its script at the end of a Latin text", () => {
  assert.equal(seen("he said كيف حالك +؟"), "he said ؟ حالك كيف");
  assert.equal(seen("it is یہ اردو +۔ ok"), "it is ۔ اردو یہ ok");
  assert.equal(seen("in אור +׃"), "in ׃ אור");
  assert.equal(seen("he said كيف +, حالك +!"), "he said حالك , كيف !"); // these have no direction
});

test("brackets run with what they enclose, or with the text before them", () => {
  assert.equal(seen("שלום ( +abc +) def"), "def ) abc ( שלום");
  assert.equal(seen("he said ( +שלום +) עולם"), "he said ( שלום ) עולם");
  assert.equal(seen("abc שלום ( +עולם +) def"), "abc ) עולם ( שלום def");
  assert.equal(seen("שלום [ +abc ( +12 +) +] def"), "def ] abc ( 12 ) [ שלום");
  assert.equal(seen("שלום ( +abc +] def"), "abc ] def ( שלום"); // they do not belong together
});

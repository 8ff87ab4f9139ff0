import assert from "node:assert/strict";
import test from "node:test";
import { percent, pieceOf } from "../../../static/js/sentence/percent.js";

test("a probability is told in percent, with a digit more where it is small", () => {
  assert.deepEqual(
    [1, 0.764, 0.0312, 0.0001, 0, null].map((each) => percent(each).replaceAll("\u00a0", " ")),
    ["100 %", "76 %", "3.1 %", "< 0.1 %", "0.0 %", "0.0 %"],
  );
});

test("the room before a piece is not told, but where there is nothing else", () => {
  assert.deepEqual([" house", "ot", " ", "\n"].map(pieceOf), ["house", "ot", "␣", "␣"]);
});

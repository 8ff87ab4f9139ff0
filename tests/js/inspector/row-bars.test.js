import assert from "node:assert/strict";
import test from "node:test";
import { decimalsOf } from "../../../static/js/inspector/row-bars.js";
import { answerOf } from "../support/made.js";

const over = (m) => ({ answer: answerOf({}, { shape: { n: 1, m } }), view: { precision: 3 } });

test("small weights over many keys have two digits, and those over few what is asked for", () => {
  assert.deepEqual(
    [0.5, 0.01, 0.0034, 0.0006, 0.0004, 0].map((largest) => decimalsOf(over(65), largest)),
    [3, 3, 4, 5, 3, 3], // the last but one is a power of ten, which tells its own digits
  );
  assert.equal(decimalsOf(over(64), 0.0034), 3);
  assert.equal(decimalsOf({ ...over(65), answer: null }, 0.0034), 3);
});

import assert from "node:assert/strict";
import test from "node:test";
import { RIGHT_TO_LEFT } from "../../../static/js/lib/scripts.js";

test("Hebrew and Arabic letters are read from the right, Latin and Han letters and digits are not", () => {
  const texts = ["שלום", "سلام", "big", "我", "12", "."];
  assert.deepEqual(
    texts.map((text) => RIGHT_TO_LEFT.test(text)),
    [true, true, false, false, false, false],
  );
});

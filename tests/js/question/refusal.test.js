import assert from "node:assert/strict";
import test from "node:test";
import { namesOf } from "../../../static/js/question/refusal.js";

test("of many files that are refused the first are named", () => {
  const named = (count) => namesOf(Array.from({ length: count }, (_, at) => new File([], `${at}.npz`)));
  assert.deepEqual([named(1), named(3), named(4)], ["0.npz", "0.npz, 1.npz, 2.npz", "0.npz, 1.npz, 2.npz …"]);
});

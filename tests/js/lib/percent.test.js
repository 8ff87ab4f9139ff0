import assert from "node:assert/strict";
import test from "node:test";
import { percent } from "../../../static/js/lib/percent.js";

test("a part of one is shown in hundreds, by as many digits as it needs", () => {
  const percents = [1, 0.762, 0.0951, 0.00012, 0.00001, 0].map((part) => percent(part).replace("\u202f", " "));
  assert.deepEqual(percents, ["100 %", "76 %", "9.5 %", "0.01 %", "< 0.01 %", "0.00 %"]);
});

test("what is not all is not shown as 100 %, and what is not nothing not as 0 %", () => {
  const percents = [0.9949, 0.995, 0.9989, 0.9993, 1 - 1e-9, 1e-12, 1].map((part) =>
    percent(part).replace("\u202f", " "),
  );
  assert.deepEqual(percents, ["99 %", "99.5 %", "99.9 %", "> 99.9 %", "> 99.9 %", "< 0.01 %", "100 %"]);
});

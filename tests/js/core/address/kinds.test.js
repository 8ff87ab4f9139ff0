import assert from "node:assert/strict";
import test from "node:test";
import * as kinds from "../../../../static/js/core/address/kinds.js";

/** What is written is read back as it was. */
const KEPT = {
  WORD: ["a word", ""],
  NUMBER: [0, -1.5, 1e-9],
  POSITIVE: [0.25, 3],
  FLAG: [true, false],
  INDEX: [0, 999_999],
  SCALE: ["sqrt_d_k", "none", 0.5],
  PAIRS: [
    [
      [0, 1],
      [2, 3],
    ],
  ],
  CELL: [{ stage: "masked_scores", row: 3, col: 0 }],
  STEP: [{ chapter: "weights", t: 0.42 }],
  SPOT: [{ row: 0, col: 131_071, cells: 1 }],
  TRACE: ["0123456789abcdef0123456789abcdef"],
  PICKED: [{ axis: "key", at: [2, 0] }],
  OBJECTIVE: [
    { at: "output", row: null, col: null },
    { at: "block_output", row: 9, col: null },
    { at: "output", row: 9, col: 3 },
  ],
};

const MEANINGLESS = {
  NUMBER: ["", " ", "one", "1e999"],
  POSITIVE: ["0", "-1", "Infinity", "x"],
  FLAG: ["1", "yes", "True"],
  INDEX: ["-1", "1.5", "1000000", ""],
  SCALE: ["sqrt", "NaN"],
  PAIRS: ["", "1", "1.2_", "1.2_3"],
  CELL: ["scores", "scores.1", "scores.1.-1", "scores.1.2.3"],
  STEP: ["weights", "weights.101", "Weights.1"],
  SPOT: ["1.2", "1.2.0", "1.2.3.4", "1.2.-3", "1.2.3x"],
  TRACE: ["0123", "0123456789ABCDEF0123456789ABCDEF"],
  PICKED: ["value.1", "query.", "key.1_"],
  OBJECTIVE: ["outputs", "output.", "output.1.2.3", ""],
};

for (const [name, values] of Object.entries(KEPT))
  test(`${name} is read as it was written`, () => {
    const { parse, print } = kinds[name];
    for (const value of values) assert.deepEqual(parse(print(value)), value);
  });

for (const [name, texts] of Object.entries(MEANINGLESS))
  test(`${name} reads nothing from what it would not write`, () => {
    for (const text of texts) assert.equal(kinds[name].parse(text), undefined, text);
  });

test("a token picked twice is picked once", () => {
  assert.deepEqual(kinds.PICKED.parse("query.3_1_3"), { axis: "query", at: [3, 1] });
});

test("an old word is read as what it is called now, and not written", () => {
  const { parse, print } = kinds.renamed(kinds.oneOf(["stages", "parameters"]), { weights: "parameters" });
  assert.deepEqual(["weights", "parameters", "stages", "bars"].map(parse), [
    "parameters",
    "parameters",
    "stages",
    undefined,
  ]);
  assert.equal(print("parameters"), "parameters");
});

test("one of these words is no other", () => {
  const { parse, print } = kinds.oneOf(["mean", "max"]);
  assert.deepEqual([parse("max"), parse("Max"), print("mean")], ["max", undefined, "mean"]);
});

import assert from "node:assert/strict";
import test from "node:test";
import { rowTimesColumn } from "../../../static/js/core/row-times-column.js";
import { cells } from "../support/sent.js";

/** A step of so many operands, each with its place for a value. */
const step = (count, sides) => ({
  stage: "q",
  expression: "",
  short: null,
  operands: Array.from({ length: count }, (_, value) => ({ stage: "x", layer: 0, head: null, row: 0, col: 0, value })),
  value: 0,
  ...{ left: null, right: null, bias: null, ...sides },
});
const values = (operands) => operands.map(({ value }) => value);

test("the operands of both sides are those that the reply says", () => {
  const { left, right, bias } = rowTimesColumn(step(4, { left: [0, 2], right: [2, 4] }));
  assert.deepEqual([values(left), values(right), bias], [[0, 1], [2, 3], null]);
});

test("a bias is the operand that is added to the sum", () => {
  const { left, right, bias } = rowTimesColumn(step(3, { left: [0, 1], right: [1, 2], bias: 2 }));
  assert.deepEqual([values(left), values(right), bias.value], [[0], [1], 2]);
});

test("four operands of which the reply says no sides are no product", () => {
  assert.equal(rowTimesColumn(step(4)), null);
});

test("what the server sends of a product makes its number", () => {
  for (const name of ["q", "scores", "head_outputs", "output"]) {
    const made = cells("cat")[0][name].steps.at(-1);
    const { left, right, bias } = rowTimesColumn(made);
    const sum = left.reduce((all, { value }, at) => all + value * right[at].value, bias?.value ?? 0);
    assert.ok(Math.abs(sum - made.value) < 1e-12, name);
    assert.ok(made.short.length <= made.expression.length);
  }
});

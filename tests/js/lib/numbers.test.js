import assert from "node:assert/strict";
import test from "node:test";
import { format, power, short } from "../../../static/js/lib/numbers.js";

test("a number has its decimals and a true minus sign", () => {
  assert.equal(format(1.23456, 2), "1.23");
  assert.equal(format(-1.5, 3), "−1.500");
  assert.equal(format(0, 2), "0.00");
});

test("zero has no sign", () => {
  assert.equal(format(-0, 2), "0.00");
  assert.equal(short(-0.0001, 2), "0");
});

test("what is too small or too large for its decimals is a power of ten, never a silent 0", () => {
  assert.equal(format(0.0049, 2), "4.90×10⁻³");
  assert.equal(format(0.005, 2), "0.01");
  assert.equal(format(-2e-12, 3), "−2.00×10⁻¹²");
  assert.equal(format(999_999, 1), "999999.0");
  assert.equal(format(1e6, 1), "1.0×10⁶");
});

test("a masked cell is −∞, and so is what is missing", () => {
  for (const masked of [null, undefined, -Infinity]) assert.equal(format(masked, 3), "−∞");
  assert.equal(short(-Infinity, 2), "−∞");
});

test("infinity and what is no number are shown as such", () => {
  for (const write of [format, short]) {
    assert.equal(write(Infinity, 3), "∞");
    assert.equal(write(NaN, 3), "NaN");
  }
});

test("a short number leaves out what says nothing", () => {
  assert.equal(short(0.5, 3), "0.5");
  assert.equal(short(-2, 3), "−2");
  assert.equal(short(12.3456, 2), "12.35");
  assert.equal(short(9999.4, 0), "9999");
  assert.equal(short(12_345, 2), "1×10⁴");
  assert.equal(short(-98_765, 2), "−1×10⁵");
});

test("decimals below zero are none", () => {
  assert.equal(short(12.7, -1), "13");
});

test("an axis counts powers of ten", () => {
  assert.equal(power(1), "10⁰");
  assert.equal(power(1000), "10³");
  assert.equal(power(1e-10), "10⁻¹⁰");
});

import assert from "node:assert/strict";
import test from "node:test";
import {
  CLOSED,
  positionOn,
  colorOf,
  numberAt,
  pixelsOf,
  rampOf,
  scaleOf,
  spacingOf,
  valuesOf,
} from "../../../static/js/map/byte-codes.js";
import { scaleOf as cardScale } from "../../../static/js/core/picture.js";
import { palette } from "../../../static/js/lib/paint.js";

const MAP = { min: -2, max: 3.08, m: 100 };

test("even codes go evenly from the least to the most", () => {
  const values = valuesOf({ low: -2, high: 3.08, spacing: "even" });
  assert.equal(values[0], -2);
  assert.ok(Math.abs(values[254] - 3.08) < 1e-12);
  assert.ok(Math.abs(values[100] - 0) < 1e-12);
  assert.ok(Number.isNaN(values[CLOSED]));
});

test("by the root and the logarithm small numbers have finer steps, and the ends stay where they are", () => {
  for (const spacing of ["root", "log"]) {
    const values = valuesOf({ low: 0.1, high: 0.6, spacing });
    assert.equal(values[0], 0.1);
    assert.ok(Math.abs(values[254] - 0.6) < 1e-12);
    assert.ok(values[2] - values[1] < (values[254] - values[253]) / 100);
    assert.ok(Number.isNaN(values[CLOSED]));
  }
  assert.ok(Math.abs(valuesOf({ low: 0, high: 1, spacing: "root" })[127] - 0.25) < 1e-12);
  assert.ok(valuesOf({ low: 0, high: 1, spacing: "log" })[10] < 1e-6);
});

test("a map of zeros, or of one number, has codes and colours too", () => {
  const values = valuesOf({ low: 0, high: 0, spacing: "log" });
  assert.ok([...values].slice(0, 255).every((value) => value === 0));
  assert.equal(colorOf(0, scaleOf(true, "log", { min: 0, max: 0, m: 9 })), 0);
  assert.equal(colorOf(0, scaleOf(false, "auto", { min: 0, max: 0, m: 9 })), 128);
});

test("weights have the colours of the cards, and over many keys go by the logarithm", () => {
  for (const m of [1, 64, 65, 2000, 4096]) {
    const { low, high, root } = cardScale({ cols: m, most: 0.5, size: 0.5 }, { kind: "weights" }, "auto");
    const scale = scaleOf(true, "auto", { min: 0, max: 0.5, m });
    assert.deepEqual(scale, { low, high, by: root ? "root" : "even" });
  }
  assert.deepEqual(
    [64, 65, 4096, 4097, 131_072].map((m) => rampOf("auto", m)),
    ["fixed", "root", "root", "log", "log"],
  );
  assert.equal(rampOf("linear", 131_072), "linear");
  assert.deepEqual(scaleOf(true, "auto", { min: 0, max: 0.5, m: 64 }), { low: 0, high: 1, by: "even" });
  assert.deepEqual(scaleOf(true, "auto", { min: 0, max: 0.5, m: 65 }), { low: 0, high: 1, by: "root" });
  assert.deepEqual(scaleOf(true, "linear", { min: 0, max: 0.5, m: 65 }), { low: 0, high: 0.5, by: "even" });
  assert.deepEqual(scaleOf(true, "log", { min: 0, max: 0.5, m: 2000 }), { low: 0.5e-6, high: 0.5, by: "log" });
  assert.equal(positionOn(0.25, scaleOf(true, "auto", MAP)), 0.5);
});

test("scores are centred on zero, whichever way they reach farther", () => {
  for (const ramp of ["auto", "linear", "log"]) {
    const scale = scaleOf(false, ramp, MAP);
    assert.equal(positionOn(0, scale), 0.5);
    assert.equal(positionOn(3.08, scale), 1);
    assert.ok(positionOn(-2, scale) > 0 && positionOn(-2, scale) < 0.5);
  }
  assert.ok(positionOn(0.01, scaleOf(false, "log", MAP)) > positionOn(0.01, scaleOf(false, "auto", MAP)));
});

test("along the ramp there and back again", () => {
  for (const scale of [
    scaleOf(true, "auto", MAP),
    scaleOf(true, "log", MAP),
    scaleOf(false, "log", MAP),
    scaleOf(false, "auto", MAP),
  ])
    for (const part of [0, 0.2, 0.5, 0.9, 1])
      assert.ok(Math.abs(positionOn(numberAt(part, scale), scale) - part) < 1e-9);
});

test("a closed cell is transparent, every other has its colour", () => {
  const colors = palette("000000ffffff");
  const values = valuesOf({ low: 0, high: 1, spacing: "even" });
  const pixels = pixelsOf(values, { low: 0, high: 1, by: "even" }, colors);
  assert.equal(pixels[CLOSED], 0);
  assert.equal(pixels[0], 0xff000000);
  assert.equal(pixels[254], 0xffffffff);
});

test("codes are spaced as colours go: of scores evenly, whatever their colours", () => {
  assert.equal(spacingOf(true, "auto", 64), "even");
  assert.equal(spacingOf(true, "auto", 65), "root");
  assert.equal(spacingOf(true, "linear", 65), "even");
  assert.equal(spacingOf(true, "log", 6), "log");
  assert.equal(spacingOf(false, "log", 9000), "even");
});

import assert from "node:assert/strict";
import test from "node:test";
import {
  CLOSED,
  along,
  byFactors,
  coded,
  codingOf,
  colorOf,
  numberAlong,
  pixelsOf,
  scaleOf,
  spacingOf,
  valuesOf,
} from "../../../static/js/map/coding.js";
import { palette } from "../../../static/js/lib/palette.js";

const even = (range) => codingOf(range, "even");
const MAP = { min: -2, max: 3.08, m: 100 };

test("the codes of the server go evenly from the least to the most", () => {
  const values = valuesOf(even(MAP));
  assert.equal(values[0], -2);
  assert.ok(Math.abs(values[254] - 3.08) < 1e-12);
  assert.ok(Math.abs(values[100] - 0) < 1e-12);
  assert.ok(Number.isNaN(values[CLOSED]));
});

test("weights by equal factors are told apart down to a millionth, within half a step", () => {
  const coding = byFactors({ max: 0.5 });
  const values = valuesOf(coding);
  const weights = [0.5, 0.1, 1e-3, 3e-6];
  const codes = coded(weights, coding, new Uint8Array(4));
  const step = 1e6 ** (0.5 / 254);
  weights.forEach((weight, at) => {
    const ratio = values[codes[at]] / weight;
    assert.ok(ratio <= step + 1e-9 && ratio >= 1 / step - 1e-9, `${weight}: ${ratio}`);
  });
});

test("what is below the last factor is 0, and what the server calls closed is closed", () => {
  const codes = coded([0, 1e-9, 0.3], byFactors({ max: 0.5 }), [7, 0, CLOSED]);
  assert.deepEqual([...codes], [0, 0, CLOSED]);
  assert.equal(valuesOf(byFactors({ max: 0.5 }))[0], 0);
});

test("a map of zeros, or of one number, has codes and colours too", () => {
  assert.ok([...valuesOf(even({ min: 0, max: 0 }))].slice(0, 255).every((value) => value === 0));
  assert.equal(colorOf(0, scaleOf(true, "log", { min: 0, max: 0, m: 9 })), 0);
  assert.equal(colorOf(0, scaleOf(false, "auto", { min: 0, max: 0, m: 9 })), 128);
});

test("weights have the colours of the cards: 0 to 1, over many keys by the root", () => {
  assert.deepEqual(scaleOf(true, "auto", { min: 0, max: 0.5, m: 64 }), { low: 0, high: 1, by: "even" });
  assert.deepEqual(scaleOf(true, "auto", { min: 0, max: 0.5, m: 65 }), { low: 0, high: 1, by: "root" });
  assert.deepEqual(scaleOf(true, "linear", { min: 0, max: 0.5, m: 65 }), { low: 0, high: 0.5, by: "even" });
  assert.equal(along(0.25, scaleOf(true, "auto", MAP)), 0.5);
});

test("scores are centred on zero, whichever way they reach farther", () => {
  for (const ramp of ["auto", "linear", "log"]) {
    const scale = scaleOf(false, ramp, MAP);
    assert.equal(along(0, scale), 0.5);
    assert.equal(along(3.08, scale), 1);
    assert.ok(along(-2, scale) > 0 && along(-2, scale) < 0.5);
  }
  assert.ok(along(0.01, scaleOf(false, "log", MAP)) > along(0.01, scaleOf(false, "auto", MAP)));
});

test("along the ramp there and back again", () => {
  for (const scale of [
    scaleOf(true, "auto", MAP),
    scaleOf(true, "log", MAP),
    scaleOf(false, "log", MAP),
    scaleOf(false, "auto", MAP),
  ])
    for (const part of [0, 0.2, 0.5, 0.9, 1]) assert.ok(Math.abs(along(numberAlong(part, scale), scale) - part) < 1e-9);
});

test("a closed cell is transparent, every other has its colour", () => {
  const colors = palette("000000ffffff");
  const pixels = pixelsOf(valuesOf(even({ min: 0, max: 1 })), { low: 0, high: 1, by: "even" }, colors);
  assert.equal(pixels[CLOSED], 0);
  assert.equal(pixels[0], 0xff000000);
  assert.equal(pixels[254], 0xffffffff);
});

test("codes are spaced as colours go, where the server can space them so", () => {
  assert.equal(spacingOf(true, "auto", 64), "even");
  assert.equal(spacingOf(true, "auto", 65), "root");
  assert.equal(spacingOf(true, "linear", 65), "even");
  assert.equal(spacingOf(true, "log", 6), "log");
  assert.equal(spacingOf(false, "log", 900), "even");
});

test("by the root small numbers have finer steps, and the ends stay where they are", () => {
  const values = valuesOf(codingOf({ min: 0.1, max: 0.6 }, "root"));
  assert.equal(values[0], 0.1);
  assert.ok(Math.abs(values[127] - 0.225) < 1e-12);
  assert.equal(values[254], 0.6);
  assert.ok(Number.isNaN(values[CLOSED]));
});

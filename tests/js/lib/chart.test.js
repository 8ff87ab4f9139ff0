import assert from "node:assert/strict";
import test from "node:test";
import { lineChart, nearestIndex } from "../../../static/js/lib/chart.js";
import { newDocument } from "../support/document.js";

newDocument();
// A drawing of 158 × 148 pixels has 100 × 100 for its lines: 40, 18, 16 and 32 are for what stands around.
const [WIDTH, HEIGHT] = [158, 148];
const AXIS = { low: 0, high: 10, log: false, ticks: [0, 5, 10], text: String };
const CHART = {
  label: "entropy of each head",
  across: "head",
  places: [0, 5, 10],
  x: AXIS,
  y: { ...AXIS, high: 1, ticks: [0, 1] },
  lines: [{ name: "own", points: [0, 0.5, 1] }],
  marks: [],
  level: null,
  at: 1,
};
const draw = (change = {}) => lineChart({ ...CHART, ...change }, WIDTH, HEIGHT);
const paths = (drawing) => [...drawing.querySelectorAll("path")].map((each) => each.getAttribute("d"));
const places = (elements, ...names) =>
  [...elements].map((each) => names.map((name) => Number(each.getAttribute(name))));

test("a line goes from place to place, with its low end at the foot", () => {
  assert.deepEqual(paths(draw()), ["M40.0 116.0L90.0 66.0L140.0 16.0"]);
});

test("a point that is missing leaves a gap", () => {
  const gap = [{ name: "own", points: [0, null, 1] }];
  assert.deepEqual(paths(draw({ lines: gap })), ["M40.0 116.0M140.0 16.0"]);
});

test("on a logarithmic axis equal factors are equal steps", () => {
  const x = { ...AXIS, low: 1, high: 16, log: true, ticks: [1, 4, 16] };
  assert.deepEqual(paths(draw({ x, places: [1, 4, 16] })), ["M40.0 116.0L90.0 66.0L140.0 16.0"]);
});

test("an axis without length does not divide by zero", () => {
  const x = { ...AXIS, low: 5, high: 5, ticks: [5] };
  assert.deepEqual(paths(draw({ x, places: [5], lines: [{ name: "own", points: [1] }], at: 0 })), ["M40.0 16.0"]);
});

test("the place pointed at has an upright and a dot on every line that has a point there", () => {
  const lines = [...CHART.lines, { name: "other", points: [1, null, 1] }];
  const drawing = draw({ lines });
  assert.deepEqual(places(drawing.querySelectorAll(".pointed"), "x1", "x2"), [[90, 90]]);
  assert.deepEqual(places(drawing.querySelectorAll(".dot"), "cx", "cy"), [[90, 66]]);
});

test("a level is drawn where there is one", () => {
  assert.equal(draw().querySelector(".level"), null);
  assert.deepEqual(places(draw({ level: 0.25 }).querySelectorAll(".level"), "y1", "y2"), [[91, 91]]);
});

test("a screen reader says what it shows, and the axis has a name", () => {
  const drawing = draw();
  assert.deepEqual([drawing.getAttribute("role"), drawing.getAttribute("aria-label")], ["img", CHART.label]);
  assert.equal(drawing.querySelector(".name").textContent, "head");
});

test("ticks that would stand on each other are left out by halves and thirds", () => {
  const ticks = Array.from({ length: 8 }, (_, at) => at);
  const x = { ...AXIS, high: 7, ticks, text: (tick) => `t${tick}` };
  const texts = draw({ x }).querySelectorAll("text");
  const kept = [...texts].map(({ textContent }) => textContent).filter((text) => text.startsWith("t"));
  assert.deepEqual(kept, ["t0", "t3", "t6"]); // 8 × 28 pixels in 100: every third
});

test("a mark's name keeps inside the drawing and to its side of the next mark", () => {
  const marks = [1, 5].map((at) => ({ at, text: `m${at}`, name: "here" }));
  const anchors = (marks) =>
    [...draw({ marks }).querySelectorAll("text.here")].map((each) => each.getAttribute("text-anchor"));
  assert.deepEqual(anchors(marks), ["end", "start"]);
  assert.deepEqual(anchors([{ at: 9, text: "m9", name: "here" }]), ["end"]);
});

test("a pointer belongs to the nearest place", () => {
  for (const [left, place] of [
    [0, 0],
    [64, 0],
    [66, 1],
    [114, 1],
    [116, 2],
    [400, 2],
  ])
    assert.equal(nearestIndex(CHART, left, WIDTH), place);
});

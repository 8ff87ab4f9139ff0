import assert from "node:assert/strict";
import test from "node:test";
import { colorOfHead, spacingOf, linesOf, stroke } from "../../../static/js/lines/drawing.js";

const hueOf = (place) => Number(colorOfHead(place, "light").match(/([\d.]+)\)$/)[1]);

test("neighbours are far apart in hue, and a head keeps its own", () => {
  const hues = [0, 1, 2, 3].map((head) => hueOf({ layer: 0, head }));
  for (let at = 1; at < hues.length; at++) {
    const far = Math.abs(hues[at] - hues[at - 1]);
    assert.ok(Math.min(far, 360 - far) > 90);
  }
  assert.equal(hueOf({ layer: 0, head: 2 }), hues[2]);
  assert.notEqual(hueOf({ layer: 1, head: 0 }), hues[0]);
});

test("lines are light on a dark page", () => {
  assert.match(colorOfHead({ layer: 0, head: 0 }, "dark"), /^oklch\(0\.76 /);
  assert.match(colorOfHead({ layer: 0, head: 0 }, "light"), /^oklch\(0\.52 /);
});

const DESK = { count: 12, name: 50, width: 1000, height: 700, across: false };

test("few tokens share the height, and every name is written", () => {
  const { pitch, label, gap, length } = spacingOf(DESK);
  assert.deepEqual([pitch, length], [44, 528]);
  assert.deepEqual([label, gap], [106, 820 - 212]);
});

test("tokens that do not fit scroll, a line of text each", () => {
  assert.equal(spacingOf({ ...DESK, count: 64 }).pitch, 19);
});

test("side by side, a name keeps its width for itself", () => {
  assert.equal(spacingOf({ ...DESK, across: true }).pitch, 1000 / 12);
  assert.equal(spacingOf({ ...DESK, count: 64, across: true }).pitch, 62);
});

test("a long name takes no more than its share", () => {
  assert.equal(spacingOf({ ...DESK, name: 900 }).label, 194);
});

const MAP = { values: [0.5, 0, 0.05, 0.2, -Infinity, 1], rows: 2, cols: 3 };
const none = () => false;

test("a line is drawn from the least weight on, that weight with it", () => {
  assert.deepEqual(linesOf(MAP, 0.2, none), [
    { row: 0, col: 0, weight: 0.5 },
    { row: 1, col: 0, weight: 0.2 },
    { row: 1, col: 2, weight: 1 },
  ]);
});

test("a weight of 0 and a masked cell have no line, however little is asked for", () => {
  assert.equal(linesOf(MAP, 0, none).length, 4);
});

test("what is skipped has none", () => {
  assert.deepEqual(
    linesOf(MAP, 0, (row) => row === 1).map(({ col }) => col),
    [0, 2],
  );
});

/** A context that notes what it strokes. */
function sheet() {
  const drawn = [];
  globalThis.Path2D = class {
    steps = [];
    moveTo = (...at) => this.steps.push(at);
    bezierCurveTo = (...at) => this.steps.push(at);
  };
  const context = {
    globalAlpha: 1,
    stroke: ({ steps }) => drawn.push({ steps, alpha: context.globalAlpha, width: context.lineWidth }),
  };
  return { context, drawn };
}

test("lines of one strength are one stroke, and the stronger one is stroked later and wider", () => {
  const { context, drawn } = sheet();
  const lines = [1, 0.5, 0.499, 0.001].map((weight) => ({ from: 0, to: 1, weight }));
  stroke(context, lines, "red", { across: true, near: 0, far: 10 });
  assert.deepEqual(
    drawn.map(({ steps, alpha }) => [steps.length / 2, alpha]),
    [
      [1, 1 / 24],
      [2, 0.5],
      [1, 1],
    ],
  );
  assert.ok(drawn[0].width < drawn[1].width && drawn[1].width < drawn[2].width);
  assert.deepEqual([context.strokeStyle, context.globalAlpha], ["red", 1]);
});

test("a line leaves both sides at a right angle", () => {
  const [down, beside] = [sheet(), sheet()];
  stroke(down.context, [{ from: 3, to: 7, weight: 1 }], "red", { across: true, near: 0, far: 10 });
  assert.deepEqual(down.drawn[0].steps, [
    [3, 0],
    [3, 5, 7, 5, 7, 10],
  ]);
  stroke(beside.context, [{ from: 3, to: 7, weight: 1 }], "red", { across: false, near: 0, far: 10 });
  assert.deepEqual(beside.drawn[0].steps, [
    [0, 3],
    [5, 3, 5, 7, 10, 7],
  ]);
});

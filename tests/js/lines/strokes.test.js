import assert from "node:assert/strict";
import test from "node:test";
import { linesOf, stroke } from "../../../static/js/lines/strokes.js";

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

import assert from "node:assert/strict";
import test from "node:test";
import { bars, drawEdges, nameEdges } from "../../../static/js/map/paint-edges.js";
import { sheetOfPaper } from "../support/sheet.js";

const barsOf = (profile, step, from, first, last) => {
  const all = [];
  bars(profile, step, from, first, last, (...bar) => all.push(bar));
  return all;
};

test("a bar is as long as its number, and none is beyond what is seen", () => {
  const profile = { start: 2, values: Float64Array.of(1, 2, NaN, 4) };
  assert.deepEqual(barsOf(profile, 10, -15, 0, 100), [
    [5, 14, 0, 0.25],
    [15, 24, 0, 0.5],
    [35, 44, 0, 1],
  ]);
  assert.deepEqual(barsOf(profile, 10, -15, 20, 40), [
    [20, 24, 0, 0.5],
    [35, 40, 0, 1],
  ]);
});

test("with numbers on both sides of 0 bars start where 0 is", () => {
  const profile = { start: 0, values: Float64Array.of(-1, 3) };
  assert.deepEqual(barsOf(profile, 1, 0, 0, 9), [
    [0, 1, 0, 0.25],
    [1, 2, 0.25, 0.75],
  ]);
});

test("rows stand at the right in the colour of queries, columns below in that of keys", () => {
  const { context, drawn } = sheetOfPaper();
  const edges = {
    of: 1,
    side: 1,
    rows: { start: 0, values: Float64Array.of(1) },
    cols: { start: 0, values: Float64Array.of(1) },
  };
  const room = { left: 10, top: 20, width: 100, height: 100 };
  const layout = { from: { x: 10, y: 20 }, scale: 50, size: { rows: 1, cols: 1 }, room };
  drawEdges(context, edges, layout, 44, { query: "blue", key: "orange" });
  assert.deepEqual(
    drawn.map(({ all, color }) => [color, ...all]),
    [
      ["blue", 64, 20, 36, 49],
      ["orange", 10, 74, 49, 36],
    ],
  );
});

test("each profile is named where it ends: below the rows' at the right, at the left of the columns'", () => {
  const { context, drawn } = sheetOfPaper();
  const room = { left: 10, top: 20, width: 100, height: 100 };
  const titles = { rows: ["largest", "0 … 0.8"], cols: ["largest", "0 … 0.9"] };
  const ink = { query: "blue", key: "orange" };
  nameEdges(context, titles, { from: { x: 10, y: 20 }, scale: 50, size: { rows: 1, cols: 1 }, room }, 44, ink);
  assert.deepEqual(
    drawn.map(({ all, color }) => [color, ...all]),
    [
      ["blue", "largest", 104, 74],
      ["blue", "0 … 0.8", 104, 86],
      ["orange", "largest", 6, 74],
      ["orange", "0 … 0.9", 6, 86],
    ],
  );
});

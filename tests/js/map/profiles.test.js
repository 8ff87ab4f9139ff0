import assert from "node:assert/strict";
import test from "node:test";
import { scaleProfile, profilesOf, rangeOf, bars, drawEdges, nameEdges } from "../../../static/js/map/profiles.js";
import { sheetOfPaper } from "../support/sheet.js";

const VALUES = Float64Array.from({ length: 256 }, (_, code) => (code === 255 ? NaN : code / 10));
const tile = (row, col, rows) => ({
  row,
  col,
  rows: rows.length,
  cols: rows[0].length,
  codes: Uint8Array.from(rows.flat()),
});

test("rows and columns come to their largest open cells, or to the mean of them", () => {
  const tiles = [
    tile(0, 0, [
      [10, 255, 30],
      [20, 40, 255],
    ]),
  ];
  const span = { rows: [0, 2], cols: [0, 3] };
  const most = profilesOf(tiles, span, VALUES, "max");
  assert.deepEqual([...most.rows.values], [3, 4]);
  assert.deepEqual([...most.cols.values], [2, 4, 3]);
  const mean = profilesOf(tiles, span, VALUES, "mean");
  assert.deepEqual([...mean.rows.values], [2, 3]);
  assert.deepEqual([...mean.cols.values], [1.5, 4, 3]);
});

test("only what is in sight counts, over the edges of tiles", () => {
  const left = tile(
    0,
    0,
    Array.from({ length: 3 }, (_, row) => Array.from({ length: 256 }, () => row)),
  );
  const right = tile(0, 1, [
    [50, 60],
    [50, 70],
    [50, 80],
  ]);
  const { rows, cols } = profilesOf([left, right], { rows: [1, 3], cols: [254, 257] }, VALUES, "max");
  assert.deepEqual([...rows.values], [5, 5]);
  assert.deepEqual([...cols.values], [0.2, 0.2, 5]);
  assert.equal(cols.start, 254);
});

test("where nothing is open, or nothing came, there is no number", () => {
  const { rows, cols } = profilesOf([tile(0, 0, [[255, 255]])], { rows: [0, 2], cols: [0, 2] }, VALUES, "mean");
  assert.ok([...rows.values, ...cols.values].every(Number.isNaN));
  assert.deepEqual(rangeOf(rows), { low: 0, high: 0 });
});

test("a profile reaches from its least to its most, and always to 0", () => {
  assert.deepEqual(rangeOf({ start: 0, values: Float64Array.of(2, NaN, 5) }), { low: 0, high: 5 });
  assert.deepEqual(rangeOf({ start: 0, values: Float64Array.of(-2, -5) }), { low: -5, high: 0 });
});

test("bars go as the colours do, and what is not there stays so", () => {
  const profile = { start: 3, values: Float64Array.of(0.25, NaN, 1) };
  assert.equal(scaleProfile(profile, { low: 0, high: 1, by: "even" }).values, profile.values);
  assert.deepEqual([...scaleProfile(profile, { low: 0, high: 1, by: "root" }).values], [0.5, NaN, 1]);
  const signed = scaleProfile({ start: 0, values: Float64Array.of(-2, 0, 2) }, { low: -2, high: 2, by: "signed_log" });
  assert.deepEqual([...signed.values], [-0.5, 0, 0.5]);
});

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

import assert from "node:assert/strict";
import test from "node:test";
import { scaleProfile, profilesOf, rangeOf } from "../../../static/js/map/profiles.js";

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

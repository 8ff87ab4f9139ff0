/** Mean or maximum of each visible row and column. */

import { positionOn } from "./byte-codes.js";
import { TILE } from "./pyramid.js";

/**
 * @param {Maps.Codes[]} tiles @param {Maps.Region} span in cells of the level @param {Float64Array} values
 * @param {"mean" | "max"} reduce
 */
export function profilesOf(tiles, span, values, reduce) {
  const rows = makeTotals(span.rows);
  const cols = makeTotals(span.cols);
  for (const tile of tiles) gather(tile, span, values, rows, cols);
  return { rows: profile(rows, span.rows[0], reduce), cols: profile(cols, span.cols[0], reduce) };
}

/** @param {Span} span */
function makeTotals([start, end]) {
  const length = end - start;
  return { sums: new Float64Array(length), counts: new Uint32Array(length), most: new Float64Array(length).fill(NaN) };
}

/**
 * @param {Maps.Codes} tile @param {Maps.Region} span @param {Float64Array} values
 * @param {ReturnType<typeof makeTotals>} down @param {ReturnType<typeof makeTotals>} across
 */
function gather({ row, col, codes, rows, cols }, span, values, down, across) {
  const [top, left] = [row * TILE, col * TILE];
  const from = { row: Math.max(top, span.rows[0]), col: Math.max(left, span.cols[0]) };
  const to = { row: Math.min(top + rows, span.rows[1]), col: Math.min(left + cols, span.cols[1]) };
  for (let y = from.row; y < to.row; y++) {
    const line = (y - top) * cols - left;
    const r = y - span.rows[0];
    for (let x = from.col; x < to.col; x++) {
      const value = values[codes[line + x]];
      if (value !== value) continue; // NaN: closed cell
      const c = x - span.cols[0];
      down.sums[r] += value;
      down.counts[r] += 1;
      if (!(value <= down.most[r])) down.most[r] = value;
      across.sums[c] += value;
      across.counts[c] += 1;
      if (!(value <= across.most[c])) across.most[c] = value;
    }
  }
}

/**
 * @param {ReturnType<typeof makeTotals>} one @param {number} start @param {"mean" | "max"} reduce
 * @returns {Maps.Profile}
 */
function profile({ sums, counts, most }, start, reduce) {
  return { start, values: reduce === "max" ? most : sums.map((sum, at) => sum / counts[at]) };
}

/**
 * Lengths of bars, on the scale of the colours.
 * @param {Maps.Profile} profile @param {Maps.Scale} scale
 */
export function scaleProfile({ start, values }, scale) {
  if (scale.by === "even") return { start, values };
  const zero = scale.by === "signed_log" ? 0.5 : 0;
  return { start, values: values.map((value) => positionOn(value, scale) - zero) };
}

/** @param {Maps.Profile} profile */
export function rangeOf({ values }) {
  let [low, high] = [0, 0];
  for (const value of values) {
    if (value < low) low = value;
    else if (value > high) high = value;
  }
  return { low, high };
}

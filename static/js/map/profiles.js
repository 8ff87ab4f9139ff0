/** Profiles: mean or maximum of each visible row and column. */

import { positionOn } from "./byte-codes.js";
import { boundsOf } from "./pan-zoom.js";
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
 * Bar lengths, on the scale of the colours.
 * @param {Maps.Profile} profile @param {Maps.Scale} scale
 */
export function scaleProfile({ start, values }, scale) {
  if (scale.by === "even") return { start, values };
  const zero = scale.by === "signed_log" ? 0.5 : 0;
  return { start, values: values.map((value) => positionOn(value, scale) - zero) };
}

/** Range of the values and 0. @param {Maps.Profile} profile */
export function rangeOf({ values }) {
  let [low, high] = [0, 0];
  for (const value of values) {
    if (value < low) low = value;
    else if (value > high) high = value;
  }
  return { low, high };
}

const GAP = 4; // px
const LINE = 12; // px

/**
 * @param {CanvasRenderingContext2D} context @param {Maps.Edges} edges @param {Maps.Layout} layout
 * @param {number} thick px across a profile @param {Maps.Ink} ink
 */
export function drawEdges(context, { side, rows, cols }, layout, thick, ink) {
  const { from, room } = layout;
  const { right, bottom } = boundsOf(layout);
  const step = side * layout.scale;
  const most = thick - 2 * GAP;
  bars(rows, step, from.y, room.top, bottom, (start, end, at, length) => {
    context.fillStyle = ink.query;
    context.fillRect(right + GAP + at * most, start, length * most, end - start);
  });
  bars(cols, step, from.x, room.left, right, (start, end, at, length) => {
    context.fillStyle = ink.key;
    context.fillRect(start, bottom + GAP + at * most, end - start, length * most);
  });
}

/**
 * @param {CanvasRenderingContext2D} context @param {Maps.Edges["titles"]} titles @param {Maps.Layout} layout
 * @param {number} thick @param {Maps.Ink} ink
 */
export function nameEdges(context, { rows, cols }, layout, thick, ink) {
  const { left, right, bottom } = boundsOf(layout);
  const top = (/** @type {number} */ at) => bottom + GAP + at * LINE;
  context.font = `10px ${ink.family}`;
  context.textAlign = "right";
  context.textBaseline = "top";
  context.fillStyle = ink.query;
  rows.forEach((line, at) => context.fillText(line, right + thick, top(at)));
  context.fillStyle = ink.key;
  cols.forEach((line, at) => context.fillText(line, left - GAP, top(at)));
}

/**
 * Calls `draw` for each bar: `start` and `end` in px along the axis, `at` and `length` as shares of the thickness.
 * @param {Maps.Profile} profile @param {number} step px of a bar @param {number} from px of the map's edge
 * @param {number} first visible px @param {number} last
 * @param {(start: number, end: number, at: number, length: number) => void} draw
 */
export function bars(profile, step, from, first, last, draw) {
  const { low, high } = rangeOf(profile);
  const span = high - low || 1;
  const gap = step > 6 ? 1 : 0;
  profile.values.forEach((value, index) => {
    // Antialiased edges of narrow bars would look like stripes.
    const at = (/** @type {number} */ place) => Math.round(from + (profile.start + place) * step);
    const start = Math.max(first, at(index));
    const end = Math.min(last, at(index + 1) - gap);
    if (value !== value || end <= start) return; // NaN: all cells closed
    const [a, b] = [(Math.min(0, value) - low) / span, (Math.max(0, value) - low) / span];
    draw(start, end, a, b - a);
  });
}

import { boundsOf } from "./pan-zoom.js";
import { rangeOf } from "./profiles.js";

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

/** Draws profiles at the right and lower edge. */

import { reach } from "./profiles.js";

const GAP = 4; // px
const LINE = 12; // px of a line

/** @param {Point} from @param {number} scale @param {Size} size @param {Maps.Room} room */
const endOf = (from, scale, { rows, cols }, room) => ({
  right: Math.min(room.left + room.width, from.x + cols * scale) + GAP,
  bottom: Math.min(room.top + room.height, from.y + rows * scale) + GAP,
});

/**
 * @param {CanvasRenderingContext2D} context @param {Maps.Edges} edges @param {Point} from
 * @param {number} scale @param {Size} size @param {Maps.Room} room @param {number} thick
 * @param {Maps.Ink} ink
 */
export function drawEdges(context, { side, rows, cols }, from, scale, size, room, thick, ink) {
  const { right, bottom } = endOf(from, scale, size, room);
  const step = side * scale;
  const most = thick - 2 * GAP;
  bars(rows, step, from.y, room.top, Math.min(bottom, room.top + room.height + GAP) - GAP, (start, end, at, length) => {
    context.fillStyle = ink.query;
    context.fillRect(right + at * most, start, length * most, end - start);
  });
  bars(cols, step, from.x, room.left, right - GAP, (start, end, at, length) => {
    context.fillStyle = ink.key;
    context.fillRect(start, bottom + at * most, end - start, length * most);
  });
}

/**
 * @param {CanvasRenderingContext2D} context @param {Maps.Edges["titles"]} titles @param {Point} from
 * @param {number} scale @param {Size} size @param {Maps.Room} room
 * @param {number} thick px of a profile @param {Maps.Ink} ink
 */
export function nameEdges(context, { rows, cols }, from, scale, size, room, thick, ink) {
  const { right, bottom } = endOf(from, scale, size, room);
  context.font = `10px ${ink.family}`;
  context.textAlign = "right";
  context.textBaseline = "top";
  context.fillStyle = ink.query;
  rows.forEach((line, at) => context.fillText(line, right - GAP + thick, bottom + at * LINE));
  context.fillStyle = ink.key;
  cols.forEach((line, at) => context.fillText(line, Math.max(room.left, from.x) - GAP, bottom + at * LINE));
}

/**
 * Calls `draw` for each bar: `start` and `end` in px along the axis, `at` and `length` as shares of the thickness.
 * @param {Maps.Profile} profile @param {number} step px of a bar @param {number} from of the map
 * @param {number} first visible px @param {number} last
 * @param {(start: number, end: number, at: number, length: number) => void} draw
 */
export function bars(profile, step, from, first, last, draw) {
  const { low, high } = reach(profile);
  const span = high - low || 1;
  const gap = step > 6 ? 1 : 0;
  profile.values.forEach((value, index) => {
    // Antialiased edges of narrow bars look like stripes.
    const at = (/** @type {number} */ place) => Math.round(from + (profile.start + place) * step);
    const start = Math.max(first, at(index));
    const end = Math.min(last, at(index + 1) - gap);
    if (value !== value || end <= start) return; // NaN: all cells closed
    const [a, b] = [(Math.min(0, value) - low) / span, (Math.max(0, value) - low) / span];
    draw(start, end, a, b - a);
  });
}

/** Drawing the profiles of the rows and columns in sight, at the right and the lower edge of the cells. */

import { reach } from "./profiles.js";

/** @typedef {import("./placing.js").Room} Room */
/** @typedef {import("./profiles.js").Profile} Profile */
/** @typedef {{of: number, side: number, rows: Profile, cols: Profile}} Edges taken of so many tiles; `side`: cells of the map along one of theirs */

const GAP = 4; // CSS pixels between the cells and a profile

/**
 * @param {CanvasRenderingContext2D} context whose unit is a CSS pixel
 * @param {Edges} edges
 * @param {{x: number, y: number}} from corner of the map
 * @param {number} scale
 * @param {{rows: number, cols: number}} size
 * @param {Room} room
 * @param {number} thick CSS pixels
 * @param {import("./map-ink.js").Ink} ink
 */
export function drawEdges(context, { side, rows, cols }, from, scale, size, room, thick, ink) {
  const right = Math.min(room.left + room.width, from.x + size.cols * scale) + GAP;
  const bottom = Math.min(room.top + room.height, from.y + size.rows * scale) + GAP;
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
 * Tells of every bar where it starts and ends along its axis, and which part of the thickness it takes.
 * @param {Profile} profile
 * @param {number} step CSS pixels of a bar
 * @param {number} from where the map begins
 * @param {number} first CSS pixel that is seen
 * @param {number} last
 * @param {(start: number, end: number, at: number, length: number) => void} draw
 */
export function bars(profile, step, from, first, last, draw) {
  const { low, high } = reach(profile);
  const span = high - low || 1;
  const gap = step > 6 ? 1 : 0;
  profile.values.forEach((value, index) => {
    // Edges on whole pixels: bars that are hardly wider than one would have stripes else.
    const at = (/** @type {number} */ place) => Math.round(from + (profile.start + place) * step);
    const start = Math.max(first, at(index));
    const end = Math.min(last, at(index + 1) - gap);
    if (value !== value || end <= start) return; // NaN: nothing is open there
    const [a, b] = [(Math.min(0, value) - low) / span, (Math.max(0, value) - low) / span];
    draw(start, end, a, b - a);
  });
}

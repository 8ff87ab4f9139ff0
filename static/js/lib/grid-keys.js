/** Keys that walk: over the cells of a grid, along a list, or along a row. */

const FAR = 10; // cells of a page

/** Rows down and columns to the right. */
const STEPS = /** @type {Record<string, [number, number]>} */ ({
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  PageUp: [-FAR, 0],
  PageDown: [FAR, 0],
  Home: [0, -Infinity],
  End: [0, Infinity],
});

/** @typedef {Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey">} Key */

/**
 * Whether a key is pressed with one that makes it the browser's.
 * @param {Key} event
 */
export const isShortcut = ({ ctrlKey, metaKey, altKey }) => ctrlKey || metaKey || altKey;

/**
 * How far a key walks, down and to the right; null for a key that does not.
 * @param {Key} event
 * @returns {[number, number] | null}
 */
export function stepOf(event) {
  return (!isShortcut(event) && STEPS[event.key]) || null;
}

/**
 * The cell that a key leads to, at most to the edge; null for a key that does not walk.
 * @param {Key} event
 * @param {{row: number, col: number}} from
 * @param {{rows: number, cols: number}} size
 */
export function cellAfter(event, { row, col }, { rows, cols }) {
  const step = stepOf(event);
  return step && { row: inside(row + step[0], rows), col: inside(col + step[1], cols) };
}

/**
 * The place of a list that a key leads to: down and right lead on, Home and End to its ends.
 * @param {Key} event
 * @param {number} from
 * @param {number} length
 */
export function placeAfter(event, from, length) {
  const step = stepOf(event);
  return step && inside(from + step[0] + step[1], length);
}

/**
 * The place of a row that a key leads to: left, right, and its ends; null for a key that leads up, down or nowhere.
 * @param {Key} event
 * @param {number} from
 * @param {number} length
 */
export function placeBeside(event, from, length) {
  const step = stepOf(event);
  return step && step[0] === 0 ? inside(from + step[1], length) : null;
}

/**
 * The same in a row that goes round: a step beyond one end leads to the other.
 * @param {Key} event
 * @param {number} from
 * @param {number} length
 */
export function placeAround(event, from, length) {
  const step = stepOf(event);
  if (!step || step[0] !== 0) return null;
  const to = from + step[1];
  return Number.isFinite(to) ? (to + length) % length : inside(to, length);
}

/** @param {number} at @param {number} length */
const inside = (at, length) => Math.max(0, Math.min(length - 1, at));

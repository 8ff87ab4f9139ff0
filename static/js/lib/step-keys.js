/** Keys that walk: how far, and round a row. */

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
 * The place that a key leads to in a row that goes round: a step beyond one end leads to the other; null for a key that
 * leads up, down or nowhere.
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

/** The place of a row that is nearest. @param {number} at @param {number} length */
export const inside = (at, length) => Math.max(0, Math.min(length - 1, at));

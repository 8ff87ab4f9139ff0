/** Cells or indices to which keys move; null for other keys. */

const FAR = 10; // cells that Page Up and Page Down move

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

/** @param {StepKey} event */
export const isShortcut = ({ ctrlKey, metaKey, altKey }) => ctrlKey || metaKey || altKey;

/** @param {StepKey} event */
export function stepOf(event) {
  return (!isShortcut(event) && STEPS[event.key]) || null;
}

/**
 * Index after a key along a row; wraps around. Null for other keys.
 * @param {StepKey} event @param {number} from @param {number} length
 */
export function placeAround(event, from, length) {
  const step = stepOf(event);
  if (!step || step[0] !== 0) return null;
  const to = from + step[1];
  return Number.isFinite(to) ? (to + length) % length : inside(to, length);
}

/** @param {number} at @param {number} length */
export const inside = (at, length) => Math.max(0, Math.min(length - 1, at));

/** @param {StepKey} event @param {RowCol} from @param {Size} size */
export function cellAfter(event, { row, col }, { rows, cols }) {
  const step = stepOf(event);
  return step && { row: inside(row + step[0], rows), col: inside(col + step[1], cols) };
}

/** @param {StepKey} event @param {number} from @param {number} length */
export function placeAfter(event, from, length) {
  const step = stepOf(event);
  return step && inside(from + step[0] + step[1], length);
}

/**
 * As `placeAfter`, but null for keys that change the row.
 * @param {StepKey} event @param {number} from @param {number} length
 */
export function placeBeside(event, from, length) {
  const step = stepOf(event);
  return step && step[0] === 0 ? inside(from + step[1], length) : null;
}

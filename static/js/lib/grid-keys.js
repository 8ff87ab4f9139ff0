/** The cell or index that a key of step-keys.js leads to; null for other keys. */

import { inside, stepOf } from "./step-keys.js";

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

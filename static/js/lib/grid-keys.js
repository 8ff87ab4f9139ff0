/** Keys that walk over the cells of a grid, along a list, or along a row. */

import { inside, stepOf } from "./step-keys.js";

/** @typedef {import("./step-keys.js").Key} Key */

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

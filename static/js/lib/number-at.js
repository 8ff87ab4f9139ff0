import { isClosed, valueAt } from "./paint.js";

/**
 * Number of a cell. Null if the cell is masked or padding, unless its number is −∞, as in masked scores.
 * @param {Picture} picture @param {number} row @param {number} col
 */
export function numberAt(picture, row, col) {
  const value = valueAt(picture, row, col);
  return value !== -Infinity && isClosed(picture, row, col) ? null : value;
}

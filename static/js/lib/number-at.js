import { closed, valueAt } from "./paint.js";

/**
 * Null for masked and padded cells; −∞ is a number that overflowed.
 * @param {Picture} picture @param {number} row @param {number} col
 */
export function numberAt(picture, row, col) {
  const value = valueAt(picture, row, col);
  return value !== -Infinity && closed(picture, row, col) ? null : value;
}

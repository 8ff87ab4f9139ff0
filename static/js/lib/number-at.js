/** The number of a cell of a picture. */

import { closed, valueAt } from "./paint.js";

/** @typedef {import("./paint.js").Picture} Picture */

/**
 * The number of a cell; null if it is masked or padding. An overflowed number may be −∞ itself.
 * @param {Picture} picture
 * @param {number} row
 * @param {number} col
 */
export function numberAt(picture, row, col) {
  const value = valueAt(picture, row, col);
  return value !== -Infinity && closed(picture, row, col) ? null : value;
}

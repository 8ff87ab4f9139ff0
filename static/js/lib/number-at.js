/** The number of a cell of a picture. */

import { closed, valueAt } from "./paint.js";

/** @typedef {import("./paint.js").Picture} Picture */

/**
 * The number of a cell; null where it is masked or padding. Beyond a precision it may itself be −∞.
 * @param {Picture} picture
 * @param {number} row
 * @param {number} col
 */
export function numberAt(picture, row, col) {
  const value = valueAt(picture, row, col);
  return value !== -Infinity && closed(picture, row, col) ? null : value;
}

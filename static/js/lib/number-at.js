import { closed, valueAt } from "./paint.js";

/**
 * Null if masked or padding. Overflow may be −∞ too.
 * @param {import("./paint.js").Picture} picture @param {number} row @param {number} col
 */
export function numberAt(picture, row, col) {
  const value = valueAt(picture, row, col);
  return value !== -Infinity && closed(picture, row, col) ? null : value;
}

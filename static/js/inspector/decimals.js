/** Decimals of weights. */

import { isLong } from "../core/picture.js";

/**
 * As many as the view says; over many keys, where most weights are small, two significant digits of the largest,
 * unless that is written as a power of ten.
 * @param {Pick<import("../core/state.js").State, "answer" | "view">} state
 * @param {number} largest
 */
export function decimalsOf({ answer, view: { precision } }, largest) {
  if (!answer || !isLong({ cols: answer.reply.shape.m }) || largest < 0.5 * 10 ** -precision) return precision;
  return Math.max(precision, 1 - Math.floor(Math.log10(largest)));
}

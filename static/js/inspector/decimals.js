/** With how many decimals weights are told. */

import { isLong } from "../core/picture.js";

/**
 * As many as the reader wants; over many keys, where most weights are small, as many as tell two digits of the largest,
 * unless it is told as a power of ten.
 * @param {Pick<import("../core/state.js").State, "answer" | "view">} state
 * @param {number} largest
 */
export function decimalsOf({ answer, view: { precision } }, largest) {
  if (!answer || !isLong({ cols: answer.reply.shape.m }) || largest < 0.5 * 10 ** -precision) return precision;
  return Math.max(precision, 1 - Math.floor(Math.log10(largest)));
}

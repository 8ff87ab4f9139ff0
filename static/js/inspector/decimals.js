import { isLong } from "../core/picture.js";

/**
 * Number of decimals of weights. With many keys, the largest weight gets two significant digits.
 * @param {Pick<State, "answer" | "view">} state @param {number} largest
 */
export function decimalsOf({ answer, view: { precision } }, largest) {
  if (!answer || !isLong({ cols: answer.reply.shape.m }) || largest < 0.5 * 10 ** -precision) return precision;
  return Math.max(precision, 1 - Math.floor(Math.log10(largest)));
}

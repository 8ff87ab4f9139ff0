/** Probabilities and pieces as people read them. */

import { format } from "../lib/numbers.js";

/** @param {number | null} probability */
export function percent(probability) {
  const part = 100 * (probability ?? 0);
  if (part > 0 && part < 0.1) return "<\u00a00.1\u00a0%";
  return `${format(part, part < 10 ? 1 : 0)}\u00a0%`;
}

/** A piece without the room before it; one that is nothing else stays to be seen. @param {string} piece */
export const pieceOf = (piece) => piece.trim() || piece.replace(/\s/g, "␣");

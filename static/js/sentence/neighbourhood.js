/** Which tokens of a long text are drawn: a window around the current one. */

export const MOST = 64; // tokens
const BEFORE = 0.75; // share of them before the current one: a causal query attends to earlier keys

/** @typedef {{from: number, to: number}} Part [from, to) */

/**
 * The visible part; unchanged while it contains the token.
 * @param {number} count tokens of the text @param {number} at current token @param {Part | null} before
 */
export function partAround(count, at, before) {
  const size = Math.min(count, MOST);
  if (before && before.to <= count && before.to - before.from === size && holds(before, at)) return before;
  const from = Math.max(0, Math.min(count - size, Math.round(at - BEFORE * MOST)));
  return { from, to: from + size };
}

/** @param {Part} part @param {number} at */
export const holds = ({ from, to }, at) => at >= from && at < to;

/** Which tokens of a long text are written: so many, around the one that is seen. */

export const MOST = 64; // tokens
const BEFORE = 0.75; // of them: a causal query looks back

/** @typedef {{from: number, to: number}} Part from the first token to before the last */

/**
 * The visible part; it stays as long as it contains the token.
 * @param {number} count tokens of the text
 * @param {number} at the token that is seen
 * @param {Part | null} before
 * @returns {Part}
 */
export function partAround(count, at, before) {
  const size = Math.min(count, MOST);
  if (before && before.to <= count && before.to - before.from === size && holds(before, at)) return before;
  const from = Math.max(0, Math.min(count - size, Math.round(at - BEFORE * MOST)));
  return { from, to: from + size };
}

/** @param {Part} part @param {number} at */
export const holds = ({ from, to }, at) => at >= from && at < to;

/** A window of a long text around the current token. */

export const MOST = 64;
const BEFORE = 0.75; // share of the window before the token: causal queries attend to earlier keys

/** @typedef {{from: number, to: number}} Part [from, to) */

/**
 * The previous window stays while it contains the token.
 * @param {number} count @param {number} at @param {Part | null} before
 */
export function partAround(count, at, before) {
  const size = Math.min(count, MOST);
  if (before && before.to <= count && before.to - before.from === size && holds(before, at)) return before;
  const from = Math.max(0, Math.min(count - size, Math.round(at - BEFORE * MOST)));
  return { from, to: from + size };
}

/** @param {Part} part @param {number} at */
export const holds = ({ from, to }, at) => at >= from && at < to;

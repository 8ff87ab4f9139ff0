/** Dropped heads: the question says which they are, and their columns of concat are 0. */

/** @typedef {import("./question.js").Question} Question */
/** @typedef {{layer: number, head: number}} Place */

/**
 * Whether a head adds nothing.
 * @param {Pick<Question, "drop">} question
 * @param {{layer: number, head: number}} place
 */
export const isDropped = ({ drop }, { layer, head }) => drop.some((each) => each[0] === layer && each[1] === head);

/**
 * The heads that are dropped once one more is, or one no more; in order, so that the same heads are the same question.
 * @param {Question} question
 * @param {Place} place
 * @returns {[number, number][]}
 */
export function toggled(question, { layer, head }) {
  if (isDropped(question, { layer, head }))
    return question.drop.filter((each) => each[0] !== layer || each[1] !== head);
  return [...question.drop, /** @type {[number, number]} */ ([layer, head])].toSorted(
    ([i, j], [k, l]) => i - k || j - l,
  );
}

/** Dropped heads have zeros in their columns of concat. */

/** @typedef {import("./combined-heads.js").Place} Place */

/** @param {Pick<Question, "drop">} question @param {Place} place */
export const isDropped = ({ drop }, { layer, head }) => drop.some((each) => each[0] === layer && each[1] === head);

/** Sorted, so that equal sets make equal questions. @param {Question} question @param {Place} place */
export function toggleDrop(question, { layer, head }) {
  if (isDropped(question, { layer, head }))
    return question.drop.filter((each) => each[0] !== layer || each[1] !== head);
  return [...question.drop, /** @type {[number, number]} */ ([layer, head])].toSorted(
    ([i, j], [k, l]) => i - k || j - l,
  );
}

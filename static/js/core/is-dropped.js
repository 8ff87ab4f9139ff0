/** Which heads a question drops. */

/** @typedef {import("./question.js").Question} Question */

/**
 * Whether a head adds nothing.
 * @param {Pick<Question, "drop">} question
 * @param {{layer: number, head: number}} place
 */
export const isDropped = ({ drop }, { layer, head }) => drop.some((each) => each[0] === layer && each[1] === head);

/** One of the texts of a box in the place of another. Pure. */

import { parting } from "../core/question.js";

/**
 * The box as typed with one of its texts changed; blank lines are no texts, and stay.
 * @param {string} box
 * @param {boolean} breaks whether line breaks belong to its texts
 * @param {number} at among those that are not blank
 * @param {(text: string) => string} change
 */
export function withTextAt(box, breaks, at, change) {
  const all = box.split(parting(breaks));
  const place = all.flatMap((text, each) => (text.trim() === "" ? [] : [each]))[at];
  return all.map((text, each) => (each === place ? change(text) : text)).join(parting(breaks));
}

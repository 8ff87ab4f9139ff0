import { separator } from "../core/question.js";

/**
 * Changes one text of a box. Blank texts stay, but `at` does not count them.
 * @param {string} box @param {boolean} breaks @param {number} at @param {(text: string) => string} change
 */
export function withTextAt(box, breaks, at, change) {
  const all = box.split(separator(breaks));
  const place = all.flatMap((text, each) => (text.trim() === "" ? [] : [each]))[at];
  return all.map((text, each) => (each === place ? change(text) : text)).join(separator(breaks));
}

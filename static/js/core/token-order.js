import { partsOf } from "./pieces.js";
import { levelsOf, setInReadingOrder, visualOrder } from "../lib/reading-order.js";
import { runsRight } from "../lib/scripts.js";

const SPECIAL = /^(\[\p{Lu}+\]|<[^<>\s]+>)$/u; // [CLS], <s> … have no direction

/**
 * `right`: the row starts at the right; `turned`: tokens that run right to left.
 * @typedef {{right: boolean, places: number[], turned: boolean[]}} Row
 */

/**
 * White space precedes the pieces that mark it. If none do, it precedes words, but not punctuation or later pieces.
 * @param {HTMLElement} root @param {HTMLElement[]} items @param {Label[]} labels
 */
export const setTokens = (root, items, labels) => setInReadingOrder(root, items, wordsOf(labels));

/** @param {Label[]} labels */
function wordsOf(labels) {
  const marks = labels.some(({ text }) => partsOf(text).mark);
  return labels.map(({ text, char = text, joined }) => ({
    text: SPECIAL.test(char) ? "" : char,
    apart: marks ? /^\s/.test(text) : !joined && /[\p{L}\p{N}]/u.test(text),
  }));
}

/** Places of tokens in reading order; null if all run left to right. @param {Label[]} labels */
export function placesInRow(labels) {
  if (!runsRight(labels)) return null;
  const { base, levels, spaces } = levelsOf(wordsOf(labels));
  const order = visualOrder(levels, spaces);
  const places = labels.map((_, at) => order.indexOf(at));
  return {
    right: base === 1,
    places: base ? places.map((place) => labels.length - 1 - place) : places,
    turned: levels.map((level) => level % 2 === 1),
  };
}

/**
 * @param {{root: HTMLElement, part: object | null, turn: (() => void) | null, turned?: () => void}} row
 * @param {Label[]} labels @param {object} part whose labels these are
 */
export function order(row, labels, part) {
  if (row.part !== part) return; // the row has other tokens by now
  const items = /** @type {HTMLElement[]} */ ([...row.root.children]);
  row.turn = () => setTokens(row.root, items, labels);
  row.turned?.();
}

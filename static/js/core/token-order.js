/** Tokens in the reading order of their scripts. */

import { partsOf } from "./pieces.js";
import { levelsOf, setInReadingOrder, visualOrder } from "../lib/reading-order.js";
import { runsRight } from "../lib/scripts.js";

const SPECIAL = /^(\[\p{Lu}+\]|<[^<>\s]+>)$/u; // [CLS], <s>: no word of the text, so of no direction

/** @typedef {{right: boolean, places: number[]}} Row `right`: starts at the right */

/**
 * Set token elements in reading order. Punctuation and continued words have no white space before them; for other
 * tokens, subwords include it.
 * @param {HTMLElement} root @param {HTMLElement[]} items @param {import("./answer.js").Label[]} labels one an item
 */
export const setTokens = (root, items, labels) => setInReadingOrder(root, items, wordsOf(labels));

/** @param {import("./answer.js").Label[]} labels */
function wordsOf(labels) {
  const marks = labels.some(({ text }) => partsOf(text).mark);
  return labels.map(({ text, char = text, joined }) => ({
    text: SPECIAL.test(char) ? "" : char,
    apart: marks ? /^\s/.test(text) : !joined && /[\p{L}\p{N}]/u.test(text),
  }));
}

/**
 * Positions in one row from the start of reading; null if all run left to right.
 * @param {import("./answer.js").Label[]} labels @returns {Row | null}
 */
export function placesInRow(labels) {
  if (!runsRight(labels)) return null;
  const { base, levels, spaces } = levelsOf(wordsOf(labels));
  const order = visualOrder(levels, spaces);
  const places = labels.map((_, at) => order.indexOf(at));
  return { right: base === 1, places: base ? places.map((place) => labels.length - 1 - place) : places };
}

/**
 * Update a row's reading order when it is needed, unless its labels change first.
 * @param {{root: HTMLElement, turn: (() => void) | null, turned?: () => void}} row
 * @param {import("./answer.js").Label[]} labels
 */
export function order(row, labels) {
  const items = /** @type {HTMLElement[]} */ ([...row.root.children]);
  if (items.length !== labels.length) return;
  row.turn = () => setTokens(row.root, items, labels);
  row.turned?.();
}

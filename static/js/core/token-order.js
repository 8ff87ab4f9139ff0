/** Tokens in the order in which their scripts are read. */

import { partsOf } from "./pieces.js";
import { levelsOf, setInReadingOrder, visualOrder } from "../lib/reading-order.js";
import { runsRight } from "../lib/scripts.js";

/** @typedef {{right: boolean, places: number[]}} Row `right`: it begins at the right */

/**
 * Sets the elements of a row of tokens in reading order. Punctuation and what goes on with a word has no white space
 * before it; of other tokens, pieces of a tokenizer say so themselves.
 * @param {HTMLElement} root
 * @param {HTMLElement[]} items
 * @param {import("./answer.js").Label[]} labels one for each
 */
export const setTokens = (root, items, labels) => setInReadingOrder(root, items, wordsOf(labels));

/** @param {import("./answer.js").Label[]} labels */
function wordsOf(labels) {
  const marks = labels.some(({ text }) => partsOf(text).mark);
  return labels.map(({ text, char = text, joined }) => ({
    text: char,
    apart: marks ? /^\s/.test(text) : !joined && /[\p{L}\p{N}]/u.test(text),
  }));
}

/**
 * The place of each token in one row, counted from where reading begins; null where all run from left to right.
 * @param {import("./answer.js").Label[]} labels
 * @returns {Row | null}
 */
export function placesInRow(labels) {
  if (!runsRight(labels)) return null;
  const { base, levels, spaces } = levelsOf(wordsOf(labels));
  const order = visualOrder(levels, spaces);
  const places = labels.map((_, at) => order.indexOf(at));
  return { right: base === 1, places: base ? places.map((place) => labels.length - 1 - place) : places };
}

/**
 * Lets a row of tokens keep its items in reading order, unless others are written by now.
 * @param {{root: HTMLElement, turn: (() => void) | null, turned?: () => void}} row
 * @param {import("./answer.js").Label[]} labels
 */
export function order(row, labels) {
  const items = /** @type {HTMLElement[]} */ ([...row.root.children]);
  if (items.length !== labels.length) return;
  row.turn = () => setTokens(row.root, items, labels);
  row.turned?.();
}

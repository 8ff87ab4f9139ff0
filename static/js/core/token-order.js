/** Tokens in the order in which their scripts are read. */

import { partsOf } from "./pieces.js";
import { setInReadingOrder } from "../lib/reading-order.js";

/**
 * Sets the elements of a row of tokens in reading order. Punctuation and what goes on with a word has no white space
 * before it; of other tokens, pieces of a tokenizer say so themselves.
 * @param {HTMLElement} root
 * @param {HTMLElement[]} items
 * @param {import("./answer.js").Label[]} labels one for each
 */
export function setTokens(root, items, labels) {
  const marks = labels.some(({ text }) => partsOf(text).mark);
  const words = labels.map(({ text, char = text, joined }) => ({
    text: char,
    apart: marks ? /^\s/.test(text) : !joined && /[\p{L}\p{N}]/u.test(text),
  }));
  setInReadingOrder(root, items, words);
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

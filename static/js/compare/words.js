/** Comparison by words, where only weights are defined. */

import { replyAt, wholeOf } from "../core/answer.js";
import { sides, stageOf } from "../core/page.js";
import { WordAnswer, hasPieces, spansOf } from "../core/word-answer.js";

/** @typedef {Pick<import("./pair.js").Comparison, "a" | "b" | "view">} Seen */

/** @type {WeakMap<Answer, Map<string, Answer>>} */
const wordAnswers = new WeakMap();

/** Whether any word has several tokens. @param {Seen} seen */
export const havePieces = ({ a, b }) =>
  Boolean(a.answer && b.answer) && [a, b].some(({ answer }) => answer && hasPieces(answer.reply));

/** @param {Seen} seen */
export const areWords = (seen) => seen.view?.tokens === "words" && havePieces(seen);

/** @param {Seen} seen @returns {[Answer, Answer] | null} */
export function answersOf(seen) {
  const { a, b, view } = seen;
  if (!a.answer || !b.answer) return null;
  return areWords(seen) ? [inWords(a.answer, view), inWords(b.answer, view)] : [a.answer, b.answer];
}

/** @param {Answer} answer @param {View} view */
function inWords(answer, { keys, queries, layer }) {
  const known = wordAnswers.get(answer) ?? new Map();
  wordAnswers.set(answer, known);
  const key = `${keys} ${queries} ${layer}`;
  if (!known.has(key)) known.set(key, new WordAnswer(answer, { keys, queries }, layer));
  return /** @type {Answer} */ (known.get(key));
}

/**
 * Converts a cell of words to one of tokens: the query's last token and the key's first token.
 * @param {Page} page @param {Answer | null} answer @param {Cell} cell @param {View} view
 */
export function toPieces(page, answer, cell, { batch, layer }) {
  if (!answer?.reply.merged) return cell;
  const { pieces } = /** @type {WordAnswer} */ (/** @type {unknown} */ (answer));
  const reply = replyAt(wholeOf(pieces.reply), layer);
  const { rows, cols } = sides(stageOf(page, cell.stage));
  const span = (/** @type {string} */ axis, /** @type {number} */ at) => spansOf(reply, axis)?.[batch]?.[at];
  const [row, col] = [span(rows, cell.row), span(cols, cell.col)];
  return { ...cell, row: row ? row[1] - 1 : cell.row, col: col ? col[0] : cell.col };
}

import { replyAt, wholeOf } from "../core/answer.js";
import { sides, stageOf } from "../core/page.js";
import { repeatsOutput } from "../core/state.js";
import { WordAnswer, hasPieces, spansOf } from "../core/word-answer.js";
import { Difference } from "../difference/difference.js";

/** @typedef {Pick<Comparison, "a" | "b" | "view">} Seen */

/** @type {WeakMap<Answer, Map<string, Answer>>} */
const wordAnswers = new WeakMap();

/** Whether any word has several tokens. @param {Seen} seen */
export const hasSplitWords = ({ a, b }) =>
  Boolean(a.answer && b.answer) && [a, b].some(({ answer }) => answer && hasPieces(answer.reply));

/** @param {Seen} seen */
export const showsWords = (seen) => seen.view?.tokens === "words" && hasSplitWords(seen);

/** @param {Seen} seen @returns {[Answer, Answer] | null} */
export function answersOf(seen) {
  const { a, b, view } = seen;
  if (!a.answer || !b.answer) return null;
  return showsWords(seen) ? [inWords(a.answer, view), inWords(b.answer, view)] : [a.answer, b.answer];
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

/** @typedef {import("../difference/difference.js").Align} Align */

/**
 * State of Compare. `hover` and `view.cell` are cells of the difference. `of` names the enlarged picture.
 * @typedef {{a: State, b: State, view: View, hover: State["hover"], align: Align,
 * of: import("./three-values.js").Name, theme: string}} Comparison
 */

/** @typedef {StoreOf<Comparison, Page>} PairStore */

export const SIDES = /** @type {const} */ (["a", "b"]);

/** False if a capture lacks the stage. @param {Answer | null} answer @param {Stage} stage */
export const hasStage = (answer, { name }) => answer?.reply.stages?.includes(name) ?? true;

/** Whether both sides show the stage. @param {Comparison} state @param {Stage} stage */
export function showsStage(state, stage) {
  const { a, b } = state;
  if (![a, b].every(({ answer }) => hasStage(answer, stage))) return false;
  if (showsWords(state) && stage.name !== "weights") return false; // only weights are defined between words
  const both = [a, b].every(({ answer, status }) => answer && status !== "empty" && status !== "no_upload");
  return both && !(stage.name === "block_output" && repeatsOutput(a) && repeatsOutput(b));
}

/** @type {WeakMap<Answer, WeakMap<Answer, Map<Align, Difference>>>} */
const differences = new WeakMap();

/** @param {Page} page @param {Comparison} state */
export function differenceOf(page, state) {
  const answers = answersOf(state);
  if (!answers) return null;
  const [[a, b], { align }] = [answers, state];
  const others = differences.get(a) ?? new WeakMap();
  differences.set(a, others);
  const aligned = others.get(b) ?? new Map();
  others.set(b, aligned);
  if (!aligned.has(align)) aligned.set(align, new Difference(page, a, b, align));
  return /** @type {Difference} */ (aligned.get(align));
}

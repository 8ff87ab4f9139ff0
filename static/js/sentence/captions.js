import { isRandom } from "../core/question.js";
import { nameOf } from "../matrix/names.js";
import { format } from "../lib/numbers.js";
import { tokensOf } from "./weight-row.js";

/** @typedef {{key: string, values: Record<string, string | number>}} Caption */

const DECIMALS = 2;

/** Question of the shown answer; the newest question may have no answer. @param {State} state */
export const questionOf = ({ question, answered }) => answered ?? question;

/** @param {State} state with an answer @param {import("./weight-row.js").Seen} seen @returns {Caption} */
export function captionOf(state, { axis, at, entries, best }) {
  const { layer, head } = state.view;
  const own = nameOf(state, axis, at).trim();
  if (!best) return { key: axis === "query" ? "blind" : "unseen", values: { layer, head, token: own } };
  const other = nameOf(state, axis === "query" ? "key" : "query", best.at).trim();
  const values = { layer, head, token: own, other, weight: format(best.weight, DECIMALS) };
  if (axis === "key") return { key: isRandom(questionOf(state)) ? "largest_key" : "seen_by", values };
  const alone = entries.length === 1 && best.at === at;
  if (isRandom(questionOf(state)) && !alone) return { key: "largest", values };
  const why = alone ? "alone" : whyOf(state, at, best.at);
  return { key: why ?? "looks", values: { ...values, word: wordOf(state, at) } };
}

/** @param {State} state @param {number} at */
const wordOf = (state, at) => {
  const { text, char = text } = tokensOf(state, "query")[at];
  return char.trim();
};

/** Why the largest weight is remarkable, or null. @param {State} state @param {number} row @param {number} col */
function whyOf(state, row, col) {
  const { tokens, context_lengths } = /** @type {Answer} */ (state.answer).reply;
  if (context_lengths) return null;
  // Equal bytes may be parts of different characters.
  const words = tokensOf(state, "query").map(({ text, char = text }) => `${text.trim()} ${char.trim()}`);
  const is = (/** @type {number} */ at) => tokens !== null && at !== row && words[at] === words[row];
  if (col === row) return "itself";
  if (is(col - 1) && col < row) return "followed";
  if (is(col)) return state.view.tokens === "words" ? "same_word" : "same";
  if (col === row - 1) return "previous";
  if (col === row + 1) return "next";
  return col === 0 ? "first" : null;
}

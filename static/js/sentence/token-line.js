import { isDropped } from "../core/dropped-head.js";
import { partsOf } from "../core/pieces.js";
import { isRandom } from "../core/question.js";
import { spokenToken } from "../core/spoken-token.js";
import { answerKey } from "../core/traces.js";
import { fill, h } from "../lib/dom.js";
import { format } from "../lib/numbers.js";
import { nameOf } from "../matrix/names.js";
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
  return partsOf(char).word; // white space by its sign
};

/** Why the largest weight is remarkable: a key or null. @param {State} state @param {number} row @param {number} col */
function whyOf(state, row, col) {
  const { tokens, context_lengths } = /** @type {Answer} */ (state.answer).reply;
  if (context_lengths) return null;
  // Equal bytes may be parts of different characters.
  const words = tokensOf(state, "query").map(({ text, char = text }) => `${partsOf(text).word} ${partsOf(char).word}`);
  const is = (/** @type {number} */ at) => tokens !== null && at !== row && words[at] === words[row];
  if (col === row) return "itself";
  if (is(col - 1) && col < row) return "followed";
  if (is(col)) return state.view.tokens === "words" ? "same_word" : "same";
  if (col === row - 1) return "previous";
  if (col === row + 1) return "next";
  return col === 0 ? "first" : null;
}

const WORDS = ["token", "other", "word"]; // placeholders of tokens
const LONGEST = 60; // characters; a longer token is cut

export class CaptionLine {
  /** @param {HTMLElement} root @param {Store} store */
  constructor(root, store) {
    this.store = store;
    this.of = "";
    this.random = h("span");
    this.words = h("span");
    this.next = h("span");
    root.append(this.random, this.words, this.next);
    root.setAttribute("aria-atomic", "false"); // screen readers announce only changes
  }

  /** @param {State} state @param {import("./weight-row.js").Seen | null} seen */
  show(state, seen) {
    const of = state.answer ? answerKey(state) : "";
    const waits = seen?.waits ?? false;
    if (waits && of === this.of) return; // keep the caption until numbers arrive
    this.of = of;
    const { t } = this.store;
    const random = state.answer !== null && isRandom(questionOf(state));
    if (random !== Boolean(this.random.textContent))
      fill(this.random, random && t("sentence.random") + t("text.between"));
    if (!seen || !state.answer || waits) return fill(this.words);
    const { key, values } = captionOf(state, seen);
    const gone = isDropped(questionOf(state), state.view) && t("text.between") + t("sentence.gone");
    const words = formatCaption(t, `sentence.${key}`, values);
    fill(this.words, words, gone);
  }
}

/** @param {Store["t"]} t @param {string} key @param {Record<string, string | number>} values */
export function formatCaption(t, key, values) {
  return t(key)
    .split(/\{(\w+)\}/)
    .map((part, at) => {
      if (at % 2 === 0) return part;
      if (WORDS.includes(part))
        return h("em", { dir: "auto", translate: "no" }, shortened(spokenToken(t, String(values[part]))));
      return part === "weight" ? h("b", { translate: "no" }, values[part]) : String(values[part]);
    });
}

/** @param {string} token */
function shortened(token) {
  const characters = [...token];
  return characters.length > LONGEST ? `${characters.slice(0, LONGEST).join("")}…` : token;
}

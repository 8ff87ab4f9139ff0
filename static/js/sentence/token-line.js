import { isDropped } from "../core/dropped-head.js";
import { isRandom } from "../core/question.js";
import { answerKey } from "../core/trace-replies.js";
import { fill, h } from "../lib/dom.js";
import { spokenToken } from "../core/spoken-token.js";
import { questionOf, captionOf } from "./captions.js";

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
    if (waits && of === this.of) return; // keep it until the numbers arrive
    this.of = of;
    const { t } = this.store;
    const random = state.answer !== null && isRandom(questionOf(state));
    if (random !== Boolean(this.random.textContent)) fill(this.random, random && `${t("sentence.random")} `);
    if (!seen || !state.answer || waits) return fill(this.words);
    const { key, values } = captionOf(state, seen);
    const gone = isDropped(questionOf(state), state.view) && ` ${t("sentence.gone")}`;
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

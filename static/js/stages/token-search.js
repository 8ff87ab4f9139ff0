import { onProblem } from "../core/api.js";
import { nextToken, typedPosition, windowsOf } from "../core/token-windows.js";
import { isComposing } from "../lib/composing.js";
import { fill, h } from "../lib/dom.js";
import { newest } from "../lib/newest.js";

/** @param {string} text @returns {(token: string) => boolean} */
export function fits(text) {
  const wanted = text.toLowerCase();
  return (token) => token.toLowerCase().includes(wanted);
}

export class TokenSearch {
  size = 0;
  asked = 0;

  /**
   * @param {Store} store @param {Axis} own @param {() => number} from start of the search
   * @param {(at: number) => void} found
   */
  constructor(store, own, from, found) {
    const { t } = store;
    this.store = store;
    this.own = own;
    this.from = from;
    this.words = h("span", { class: "muted", role: "status" });
    this.input = h("input", { type: "search", placeholder: t("tokens.find"), "aria-label": t("tokens.find_label") });
    this.root = h("form", { class: "find-token", role: "search", hidden: true }, this.input, this.words);
    this.requests = newest(
      (/** @type {number | null} */ at) => {
        this.say(at === null ? t("tokens.not_found", { text: this.input.value.trim() }) : "");
        if (at !== null) found(at);
      },
      onProblem((problem) => this.say(problem.message || t("problem.offline"))),
    );
    this.root.addEventListener("submit", (event) => event.preventDefault());
    this.input.addEventListener("input", () => this.forget());
    this.input.addEventListener("keydown", (event) => this.onKey(event));
  }

  /** @param {string} text */
  say(text) {
    fill(this.words, text);
  }

  forget() {
    this.requests.drop();
    this.say("");
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    event.stopPropagation(); // otherwise letters would be shortcuts
    if (event.key !== "Enter" || isComposing(event)) return;
    event.preventDefault();
    this.look(event.shiftKey);
  }

  /** @param {boolean} back */
  look(back) {
    const text = this.input.value.trim();
    const state = this.store.get();
    if (!text || !state.answer) return this.forget();
    this.say(this.store.t("tokens.finding"));
    this.requests.want(String(this.asked++), (signal) => {
      const place = typedPosition(text, this.size);
      return place ?? nextToken(state, this.own, fits(text), { from: this.from(), back }, signal);
    });
  }

  /** @param {number} size tokens of the text; 0 hides the search */
  show(size) {
    this.root.hidden = size === 0;
    if (size !== this.size) this.forget();
    this.size = size;
  }
}

/**
 * Saved pages lack this part, because they cannot load tokens.
 * @param {Store} store @param {Axis} own
 */
export const longChips = (store, own) => ({
  want: (/** @type {Span} */ span) => windowsOf(store).want(`chips ${own}`, own, span),
  search: (/** @type {() => number} */ from, /** @type {(at: number) => void} */ found) =>
    new TokenSearch(store, own, from, found),
});

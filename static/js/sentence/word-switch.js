import { setView } from "../core/actions.js";
import { WAYS } from "../core/address/fields.js";
import { hasPieces } from "../core/word-answer.js";
import { countsPieces } from "../core/word-pieces.js";
import { h } from "../lib/dom.js";
import { choice, offer } from "../lib/select.js";

const TOKENS = /** @type {const} */ (["pieces", "words"]);
const SIDES = /** @type {const} */ (["keys", "queries"]);

export class WordSwitch {
  /** @param {HTMLElement} root @param {Store} store */
  constructor(root, store) {
    const { t } = store;
    this.store = store;
    this.buttons = TOKENS.map((tokens) =>
      h("button", { type: "button", onclick: () => setView(store, { tokens }) }, t(`sentence.${tokens}`)),
    );
    this.ways = SIDES.map((side) => choice((way) => setView(store, { [side]: way })));
    const fields = this.ways.map((way, at) => h("label", {}, t(`sentence.${SIDES[at]}`), " ", way));
    this.about = h("span", { class: "muted" });
    this.more = h("span", { class: "word-ways" }, fields, this.about);
    const group = { class: "word-switch", role: "group", "aria-label": t("sentence.tokens"), hidden: true };
    this.root = h("div", group, this.buttons, this.more);
    root.prepend(this.root);
  }

  /** @type {Part["update"]} with an answer */
  update({ answer, view }, previous) {
    if (answer === previous?.answer && view === previous?.view) return;
    const { t } = this.store;
    this.root.hidden = !answer || !hasPieces(answer.reply);
    this.buttons.forEach((button, at) => button.setAttribute("aria-pressed", String(TOKENS[at] === view.tokens)));
    this.more.hidden = view.tokens !== "words";
    this.ways.forEach((way, at) => offer(way, WAYS, view[SIDES[at]], (name) => t(`sentence.way.${name}`)));
    this.about.textContent = t(aboutWords(view));
  }
}

/** @param {State["view"]} view */
function aboutWords({ step, since, tab }) {
  if (step) return "sentence.words_step";
  if (since) return "sentence.words_since";
  return countsPieces(tab) ? "sentence.words_tab" : "sentence.words_about";
}

/** Suggests models that split a text into fewer pieces; switches to words. */

import { setView } from "../core/actions.js";
import { WAYS } from "../core/address/fields.js";
import { wholeOf } from "../core/answer.js";
import { chooseSource } from "../core/choose-source.js";
import { pageAddress } from "../core/page-address.js";
import { installedOf } from "../core/page.js";
import { decoded } from "../core/pieces.js";
import { spansOf, hasPieces } from "../core/word-answer.js";
import { countsPieces } from "../core/word-pieces.js";
import { fill, h } from "../lib/dom.js";
import { makeSelect, setOptions } from "../lib/select.js";

const MOST = 1.6; // pieces per word; with more, suggestions
const RICHER = 3; // least vocabulary of a suggestion / of the current model
const LETTER = /[\p{L}\p{N}]/u;
const BYTES = /^(<[\dA-F]{2}>)+$/;

/** Pieces per word, without punctuation and added tokens. @param {Reply} reply @param {number} batch */
function piecesIn(reply, batch) {
  const tokens = reply.tokens?.[batch] ?? [];
  const isByte = (/** @type {string | null} */ token) => BYTES.test(token ?? "");
  const words = (spansOf(reply, "query")?.[batch] ?? []).map(([from, to]) => tokens.slice(from, to));
  const written = words.filter((pieces) => pieces.some((piece) => isByte(piece) || LETTER.test(piece ?? "")));
  const pieces = written.reduce((sum, each) => sum + each.length, 0);
  return { ratio: written.length ? pieces / written.length : 1, bytes: tokens.some(isByte) };
}

export class ManyPieces {
  drawn = "";

  /** @param {HTMLElement} root @param {Store} store */
  constructor(root, store) {
    this.store = store;
    this.root = h("p", { class: "many-pieces", hidden: true });
    root.prepend(this.root);
  }

  /** @param {State} state */
  update({ answer, question, view, status }) {
    if (!answer || status !== "ready") return;
    const reply = wholeOf(answer.reply);
    const model = question.model.source === "installed" ? installedOf(this.store.page, question) : null;
    const { ratio, bytes } = piecesIn(reply, view.batch);
    const said = model && model.pieces && (ratio > MOST || bytes);
    const key = said ? `${reply.trace} ${view.batch}` : "";
    if (key === this.drawn) return;
    this.drawn = key;
    this.root.hidden = !said;
    if (said) fill(this.root, this.words(model, ratio, bytes), this.ways(model, reply.tokens?.[view.batch] ?? []));
  }

  /** @param {Installed} model @param {number} ratio @param {boolean} bytes */
  words({ name, pieces, language }, ratio, bytes) {
    const { t, page } = this.store;
    const spoken = language && new Intl.DisplayNames([page.lang], { type: "language" }).of(language);
    const known = t(spoken ? "sentence.knows_of" : "sentence.knows", { name, n: pieces, language: spoken });
    const more = t(bytes ? "sentence.in_bytes" : "sentence.in_pieces", { ratio: ratio.toFixed(1) });
    return [known, more, t("sentence.reads_better"), ""].join(t("text.between"));
  }

  /** @param {Installed} own @param {(string | null)[]} tokens */
  ways(own, tokens) {
    const { store } = this;
    const { t, page } = store;
    const chinese = /\p{Script=Han}/u.test(decoded(tokens.join("")));
    const fits = (/** @type {Installed} */ { name, language, pieces }) =>
      name !== own.name && (language === "zh" ? chinese : pieces >= RICHER * own.pieces);
    const models = page.installed.filter(fits);
    const button = (/** @type {string} */ kind, /** @type {string} */ name) =>
      h("button", { type: "button", class: "link", onclick: () => chooseSource(store, kind) }, name);
    return [
      ...models.map(({ name }) => button(`installed:${name}`, name)),
      button("seeded", t("sentence.whole_words")),
      models.length === 0 && h("a", { href: pageAddress("/models") }, t("sentence.get_model")),
    ]
      .filter(Boolean)
      .flatMap((way, at) => (at ? [" · ", way] : [way]));
  }
}

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
    this.ways = SIDES.map((side) => makeSelect((way) => setView(store, { [side]: way })));
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
    this.ways.forEach((way, at) => setOptions(way, WAYS, view[SIDES[at]], (name) => t(`sentence.way.${name}`)));
    this.about.textContent = t(aboutWords(view));
  }
}

/** @param {State["view"]} view */
function aboutWords({ step, since, tab }) {
  if (step) return "sentence.words_step";
  if (since) return "sentence.words_since";
  return countsPieces(tab) ? "sentence.words_tab" : "sentence.words_about";
}

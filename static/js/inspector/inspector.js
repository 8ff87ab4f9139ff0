/** Explains the pinned cell or, without one, the tab. */

import { pageAddress } from "../core/page-address.js";
import { setView } from "../core/actions.js";
import { unpin } from "../core/pointing.js";
import { chooseSource } from "../core/choose-source.js";
import { passingWords } from "../core/refusal-words.js";
import { stagesOn, isMap, stageOf } from "../core/page.js";
import { pictureOf } from "../core/picture.js";
import { predicts } from "../core/position.js";
import { isBare, hasSameNumbers, selection } from "../core/state.js";
import { answerKey } from "../core/traces.js";
import { returnTo } from "../core/cell-trail.js";
import { fill, h, math } from "../lib/dom.js";
import { isClosed } from "../lib/paint.js";
import { numberAt } from "../lib/number-at.js";
import { makeSlots } from "../lib/slots.js";
import { arithmetic, unfoldOnPaper } from "./arithmetic.js";
import { checks, figures } from "./checks.js";
import { decimalsOf, rowBars } from "./row-bars.js";
import { labelOf } from "../matrix/names.js";
import { placeOf, formatCell } from "../matrix/cell-text.js";

const AXES = ["query", "key", "value", "feature"];
const GUIDE = ["drawn", "colours", "press", "first"];
const PATTERNS = ["stages", "heads", "lines", "map"]; // tabs that say that random patterns mean nothing
const CHANGED = ["stages", "heads"]; // tabs that can show a change
const SHOWN = /** @type {const} */ (["explanation", "unexplained", "examples", "named", "question"]);
const VIEWED = /** @type {const} */ (["cell", "precision"]);
const UNPINNED = /** @type {const} */ (["tab", "since"]);

/** @type {ViewOf} */
export function inspector(root, store, slots = makeSlots()) {
  const manual = new Guide(store);

  /** @param {State} state */
  function draw(state) {
    const isPinned = state.view.cell !== null && !isBare(state);
    root.classList.toggle("pinned", isPinned);
    fill(root, isPinned ? pinnedParts(store, state, slots("cell")) : unpinnedParts(store, state, manual));
    if (isPinned) root.dataset.trace = state.explanation?.of ?? answerKey(state);
    else delete root.dataset.trace;
    // A panel without controls must be a tab stop, so that keys can scroll it.
    if (root.querySelector("a, button, input")) root.removeAttribute("tabindex");
    else root.tabIndex = 0;
  }
  const printing = new AbortController();
  unfoldOnPaper(root, printing.signal);
  return {
    update(state, previous) {
      const same =
        hasSameNumbers(state, previous) &&
        isBare(state) === (previous && isBare(previous)) &&
        VIEWED.every((name) => state.view[name] === previous?.view[name]) &&
        (state.view.cell !== null || UNPINNED.every((name) => state.view[name] === previous?.view[name])) &&
        SHOWN.every((name) => state[name] === previous?.[name]);
      if (!same || (isWaiting(root) && state.exact !== previous?.exact)) draw(state);
    },
    destroy() {
      printing.abort();
      root.replaceChildren();
    },
  };
}

/** @param {HTMLElement} root */
const isWaiting = (root) => root.querySelector("[data-waits]") !== null;

class Guide {
  /** @param {Store} store */
  constructor(store) {
    this.store = store;
    this.lines = h("ul");
    const title = h("summary", {}, h("h2", {}, store.t("guide.title")));
    this.root = h("details", { class: "guide", "data-folded": true }, title, this.lines);
  }

  /** @param {State} state @param {string} tab */
  update(state, tab) {
    const { t, page } = this.store;
    const { since, layer } = state.view;
    const context = tab === "decode" && presentAnswer(state)?.reply.attends_to?.[layer] === "context";
    const silent = tab === "worth" && !predicts(page, state);
    const topic = (/** @type {string} */ part) => {
      if (context && part === "drawn") return "decode_context";
      if (silent && ["press", "first"].includes(part)) return "worth_silent";
      return since && part === "colours" && CHANGED.includes(tab) ? "since" : tab;
    };
    const lines = GUIDE.map((part) => h("li", {}, t(`guide.${topic(part)}.${part}`)));
    fill(this.lines, lines);
    return this.root;
  }
}

/** @param {State} state */
const presentAnswer = (state) => (isBare(state) ? null : state.answer);

/** @param {Store} store @param {State} state @param {Guide} manual */
function unpinnedParts(store, state, manual) {
  const { t } = store;
  const { tab } = state.view;
  const answer = presentAnswer(state);
  const random = PATTERNS.includes(tab) && state.question.model.source === "seeded";
  const show = () => chooseSource(store, "crafted");
  const crafted = h("button", { class: "link", onclick: show }, t("guide.crafted"));
  const axes = AXES.map((axis) => h("li", { class: `axis-${axis}` }, t(`axes.${axis}`)));
  return [
    figures(store, state),
    answer && checks(store, answer.reply, Boolean(answer.numbers)),
    random && h("p", { class: "muted" }, t("guide.random"), " ", crafted),
    h("ul", { class: "axes-key" }, axes),
    manual.update(state, tab),
  ];
}

/** @param {Store} store @param {State} state @param {HTMLElement} slot */
function pinnedParts(store, state, slot) {
  const { t } = store;
  const { explanation, unexplained, view } = state;
  const cell = /** @type {Cell} */ (view.cell);
  const stage = stageOf(store.page, cell.stage);
  const label = labelOf(store, cell.stage);
  const large = stagesOn(store.page).includes(stage);
  const enlarge = () => setView(store, { stage: cell.stage });
  const close = t("inspector.close");
  const pieces = store.base ?? store; // weights between words are computed from tokens
  return [
    trail(store, state),
    h(
      "header",
      {},
      h("h2", {}, h("b", {}, label), h("span", { class: "place" }, placeOf(store, state, cell))),
      h("button", { class: "close", onclick: () => unpin(store), "aria-label": close, title: close }, "✕"),
    ),
    !explanation && slot,
    explanation?.masked_because && h("p", { class: "because" }, h("i", { class: "hatch" }), explanation.masked_because),
    unexplained && h("p", { class: "error" }, passingWords(store, unexplained, "long.sum")),
    explanation &&
      h(
        "p",
        { class: "value" },
        h("output", { translate: "no" }, numberIn(store, state, cell, explanation)),
        h("span", { class: "formula", translate: "no" }, math(explanation.mathml)),
      ),
    explanation && slot,
    cell.stage === "weights" && rowBars(store, state, cell.row),
    explanation && arithmetic(pieces, pieces.get(), cell, explanation),
    isMap(stage) && cell.stage !== "weights" && rowBars(store, state, cell.row),
    large && h("button", { class: "link", onclick: enlarge }, t("card.enlarge", { stage: label })),
    chapterLink(store, cell.stage),
  ];
}

/** The link keeps the sentence. @param {Store} store @param {string} stage */
function chapterLink({ page, t }, stage) {
  const chapter = page.chapters?.[stage];
  if (!chapter) return null;
  const text = new URLSearchParams(location.search).get("text");
  const href = pageAddress(`/learn/${chapter.name}`, text ? { text } : {});
  return h("p", { class: "muted" }, h("a", { href, "data-chapter": chapter.name }, t("inspector.chapter", chapter)));
}

/**
 * Number of a cell, from the picture for ∞ (null in JSON) and padding (0).
 * @param {Store} store @param {State} state @param {Cell} cell @param {Explanation} explanation
 */
function numberOf({ page }, state, { stage, row, col }, { value, masked_because }) {
  const picture = state.answer && pictureOf(page, state.answer, stageOf(page, stage), selection(state));
  if (picture && (value === null || isClosed(picture, row, col))) return numberAt(picture, row, col);
  return masked_because ? null : value;
}

/** @type {(...given: Parameters<typeof numberOf>) => string} */
function numberIn(store, state, cell, explanation) {
  const stage = stageOf(store.page, cell.stage);
  const value = numberOf(store, state, cell, explanation);
  return formatCell(
    store,
    stage,
    value,
    stage.kind === "weights" ? decimalsOf(state, value ?? 0) : state.view.precision,
  );
}

/** @param {Store} store @param {State} state */
function trail(store, state) {
  if (state.trail.length === 0) return null;
  const crumbs = state.trail.map((cell, index) => {
    const name = `${labelOf(store, cell.stage)} ${placeOf(store, state, cell)}`;
    return h("li", {}, h("button", { class: "link", onclick: () => returnTo(store, index) }, name));
  });
  return h("nav", { class: "trail", "aria-label": store.t("inspector.trail") }, h("ol", {}, crumbs.slice(-4)));
}

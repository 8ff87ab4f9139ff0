import { setView } from "../core/actions.js";
import { openQuestion } from "../core/question-changes.js";
import { bodyOf, asQuestion } from "../core/question.js";
import { fetchLastWeights } from "../core/traces.js";
import { closeOutside } from "../lib/close-outside.js";
import { h, fill, find } from "../lib/dom.js";
import { paint } from "../lib/paint.js";
import { colorsOf } from "../matrix/colors.js";

/** In teaching order. */
export const GROUPS = ["pattern", "hand", "texts", "languages"];
const FIRST = ["first", "reversal", "sorting", "addition", "crafted-induction", "crafted-all"];

/** @param {Example} example */
export function groupOf({ question: { model, text, context, context_tokens } }) {
  if (model?.source === "crafted" || model?.source === "installed") return "pattern";
  if (model?.source === "explicit") return "hand";
  return Array.isArray(text) || context || context_tokens ? "texts" : "languages";
}

/** @param {Example[]} all @param {string} group */
export function inGroup(all, group) {
  const rank = (/** @type {Example} */ { id }) => (FIRST.includes(id) ? FIRST.indexOf(id) : FIRST.length);
  return all.filter((each) => groupOf(each) === group).toSorted((a, b) => rank(a) - rank(b));
}

const SIDE = 52; // CSS pixels

/**
 * Fetches a picture when its canvas becomes visible.
 * @param {Store} store @returns {(question: Record<string, any>) => HTMLCanvasElement}
 */
export function picturesOf(store) {
  /** @type {Map<Element, Record<string, any>>} */
  const waiting = new Map();
  let before = Promise.resolve();
  const seen = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      const question = waiting.get(target);
      if (!isIntersecting || !question) continue;
      waiting.delete(target);
      seen.unobserve(target);
      const canvas = /** @type {HTMLCanvasElement} */ (target);
      before = before.then(() => draw(store, canvas, question)).catch(() => undefined);
    }
  });
  return (question) => {
    const canvas = h("canvas", { width: SIDE, height: SIDE, "aria-hidden": "true" });
    waiting.set(canvas, question);
    seen.observe(canvas);
    return canvas;
  };
}

/** @param {Store} store @param {HTMLCanvasElement} canvas @param {Record<string, any>} question */
async function draw({ page, get }, canvas, question) {
  const rows = await fetchLastWeights(bodyOf(asQuestion(page, question)));
  const picture = { values: rows.flat(), rows: rows.length, cols: rows[0].length };
  const pixels = Math.round(SIDE * devicePixelRatio);
  const side = (/** @type {number} */ cells) => (cells < pixels ? cells * Math.ceil(pixels / cells) : pixels);
  const colors = colorsOf(page, get().theme, "weights");
  paint(canvas, picture, colors, { low: 0, high: 1 }, side(picture.cols), side(picture.rows));
}

/** Value of `state.examples` if the server did not answer. @type {Example[]} */
export const UNANSWERED = [];

/** @type {ViewOf} */
export const examples = (root, store) => new Gallery(root, store);

class Gallery {
  /** @type {{example: Example, card: HTMLElement, asked: string}[]} */
  entries = [];

  /** @param {HTMLElement} root @param {Store} store */
  constructor(root, store) {
    this.root = root;
    this.store = store;
    this.menu = /** @type {HTMLDetailsElement} */ (find("details", root));
    this.panel = find(".panel", this.menu);
    this.said = h("p", { class: "muted said", role: "status" });
    this.picture = picturesOf(store);
    this.menu.addEventListener("toggle", () => fill(this.said));
    closeOutside(this.menu);
  }

  /** @param {State} state @param {State} [previous] */
  update(state, previous) {
    const came = state.examples !== previous?.examples;
    if (came && state.examples.length) this.build(state.examples);
    if (came && state.examples === UNANSWERED) fill(this.panel, h("p", { class: "muted" }, this.store.t("menu.none")));
    if (state.question !== previous?.question || state.examples !== previous.examples) this.mark(state);
  }

  /** @param {Example[]} examples */
  build(examples) {
    const all = [...preparedOf(this.store), ...examples];
    this.entries = [];
    const sections = GROUPS.flatMap((group) => this.section(inGroup(all, group), group));
    fill(this.panel, this.said, sections);
  }

  /** @param {Example[]} own @param {string} group */
  section(own, group) {
    const title = h("p", { class: "group", id: `examples-${group}` }, this.store.t(`menu.${group}`));
    const entries = own.map((each) => this.entry(each));
    return [title, h("ul", { class: "gallery", "aria-labelledby": title.id }, entries)];
  }

  /** @param {Example} example */
  entry(example) {
    const { title, about, question } = example;
    const words = h("span", { class: "words" }, h("b", {}, title), h("span", { class: "muted" }, about));
    const card = h("button", { type: "button", onclick: () => this.press(example) }, this.picture(question), words);
    const asked = JSON.stringify(asQuestion(this.store.page, question));
    this.entries.push({ example, card, asked });
    return h("li", {}, card);
  }

  /** @param {Example} example */
  press(example) {
    const entry = this.entries.find((each) => each.example === example);
    if (entry?.card.hasAttribute("aria-current"))
      return fill(this.said, this.store.t("menu.open", { title: example.title }));
    this.menu.open = false;
    openQuestion(this.store, example.question);
    const prepared = preparedIn(this.store.page).find(({ id }) => id === example.id);
    if (prepared) setView(this.store, prepared.view, { replace: true });
  }

  /** @param {State} state */
  mark({ question }) {
    const asked = JSON.stringify(question);
    for (const entry of this.entries) {
      if (entry.asked === asked) entry.card.setAttribute("aria-current", "true");
      else entry.card.removeAttribute("aria-current");
    }
  }

  destroy() {
    this.root.replaceChildren();
  }
}

/** @param {Page} page */
const preparedIn = ({ first, tasks = [] }) => (first ? [first, ...tasks] : tasks);

/** @param {Store} store @returns {Example[]} */
const preparedOf = ({ page, t }) =>
  preparedIn(page).map(({ id, question }) => ({
    id,
    title: t(`menu.${id}`),
    about: t(`menu.about.${id}`),
    question,
    figures: [],
  }));

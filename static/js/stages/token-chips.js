/** The tokens as chips with their index; the query and key of the active cell are lit. */

import { look } from "../core/actions.js";
import { labelsOf, wordsOf } from "../core/answer.js";
import { sides, stageOf } from "../core/page.js";
import { partsOf } from "../core/pieces.js";
import { fill, h } from "../lib/dom.js";
import { choice, count } from "../lib/select.js";

const MOST = 400; // chips; a longer text ends in a count
const WHOLE = 0.98; // of a chip in sight
const HINT = 4; // tokens that name a sentence of the batch

/** @typedef {import("../core/address/address.js").Picked["axis"]} Axis */
/** @typedef {import("../core/answer.js").Reply} Reply */
/** @typedef {import("../core/state.js").State} State */
/** @typedef {import("../core/state.js").Store} Store */

/** @type {import("../core/state.js").ViewOf} */
export const tokens = (root, store) => chips(root, store, "query");

/**
 * The tokens of the sentence, or those of its context.
 * @param {HTMLElement} root
 * @param {Store} store
 * @param {Axis} own the axis that counts them
 * @returns {import("../core/state.js").Part}
 */
export const chips = (root, store, own) => new Chips(root, store, own);

class Chips {
  /** @param {HTMLElement} root @param {Store} store @param {Axis} own */
  constructor(root, store, own) {
    const { t } = store;
    const label = t(own === "query" ? "tokens.label" : "context.tokens");
    this.root = root;
    this.store = store;
    this.own = own;
    const choose = (/** @type {string} */ index) => look(store, { batch: Number(index), cell: null });
    this.batch = choice(choose, { hidden: true, "aria-label": t("batch.label") });
    this.strip = h("ol", { class: "chips", tabindex: "0", "aria-label": label });
    this.count = h("span", { class: "count" });
    root.append(this.batch, this.strip, this.count);
    const seen = { root: this.strip, rootMargin: "8px 1px", threshold: WHOLE };
    this.ends = new IntersectionObserver((ends) => this.fade(ends), seen);
  }

  /** @param {State} state @param {State} [previous] */
  update(state, previous) {
    const { answer, view } = state;
    if (!answer) return;
    if (answer !== previous?.answer || view.batch !== previous?.view.batch) {
      this.draw(answer.reply, view.batch);
      this.watchEnds();
      this.offer(answer.reply, view.batch);
    }
    this.light(state);
  }

  /** @param {Reply} reply @param {number} index */
  draw(reply, index) {
    const { t } = this.store;
    const words = wordsOf(reply, this.own);
    const n = words.lengths[index];
    const chip = (/** @type {string} */ text, /** @type {number} */ at) => {
      const { mark, word } = partsOf(text);
      const space = mark && h("span", { class: "space", "aria-hidden": "true" }, mark);
      return h("li", { class: at < n ? "chip" : "chip padding" }, space, word || "–", words.tokens && h("sub", {}, at));
    };
    const labels = labelsOf(reply, index, this.own).slice(0, MOST);
    fill(
      this.strip,
      labels.map(({ text }, at) => chip(text, at)),
    );
    this.count.textContent = t("tokens.count", { n });
  }

  /** The strip is watched at both ends, which tell when they are out of sight. */
  watchEnds() {
    const { firstElementChild: first, lastElementChild: last } = this.strip;
    this.ends.disconnect();
    for (const end of [first, last]) if (end && first !== last) this.ends.observe(end);
  }

  /** An end that is out of sight fades away. @param {IntersectionObserverEntry[]} ends */
  fade(ends) {
    for (const { target, intersectionRatio } of ends) {
      const name = target === this.strip.firstElementChild ? "data-before" : "data-after";
      this.strip.toggleAttribute(name, intersectionRatio < WHOLE);
    }
  }

  /** The sentences of the batch, by their first tokens. @param {Reply} reply @param {number} index */
  offer(reply, index) {
    const { t } = this.store;
    const textOf = (/** @type {number} */ at) => {
      const first = labelsOf(reply, at).slice(0, HINT);
      return first.map((label) => partsOf(label.text).word).join(" ");
    };
    const nameOf = (/** @type {number} */ at) =>
      reply.tokens ? t("batch.option", { n: at + 1, text: textOf(at) }) : String(at + 1);
    count(this.batch, reply.lengths.length, index, nameOf);
    this.batch.hidden = this.own === "key" || reply.lengths.length < 2;
  }

  /** @param {State} state */
  light({ hover, view, answer }) {
    for (const chip of [...this.strip.querySelectorAll(".axis-query, .axis-key")])
      chip.classList.remove("axis-query", "axis-key");
    const active = hover ?? view.cell;
    if (!active) return;
    const { rows, cols } = sides(stageOf(this.store.page, active.stage));
    const places = /** @type {const} */ ([
      [rows, active.row],
      [cols, active.col],
    ]);
    for (const [axis, at] of places) {
      const here = axis === this.own || (axis === "key" && !answer?.reply.context_lengths);
      if (here) this.strip.children[at]?.classList.add(`axis-${axis}`);
    }
  }

  destroy() {
    this.ends.disconnect();
    this.root.replaceChildren();
  }
}

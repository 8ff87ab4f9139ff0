import { setView } from "../core/actions.js";
import { labelsOf, wordsOf } from "../core/answer.js";
import { sides, stageOf } from "../core/page.js";
import { decoded, partsOf } from "../core/pieces.js";
import { setTokens } from "../core/token-order.js";
import { cellsOfPieces } from "../core/word-pieces.js";
import { h } from "../lib/dom.js";
import { runsRight } from "../lib/scripts.js";
import { makeSelect } from "../lib/select.js";
import { offerIndices } from "../lib/count-select.js";
import { ChipWindow } from "./chip-window.js";

const WHOLE = 0.98; // share of a chip that counts as visible
const EDGE = 28; // px of the fading edge
const HINT = 4; // tokens that name a sentence

/** @typedef {ReturnType<typeof import("./token-search.js").longChips>} Long */

/** @type {WeakMap<Element, Chips>} */
const byStrip = new WeakMap();

/** @param {Element} strip */
export const chipsOf = (strip) => /** @type {Chips} */ (byStrip.get(strip));

/**
 * @param {HTMLElement} root @param {Store} store @param {Axis} own
 * @param {Long | null} [long] fetches tokens of a long text @returns {Part}
 */
export const chips = (root, store, own, long = null) => new Chips(root, store, own, long);

/** @param {Label[]} labels */
export function beginningOf(labels) {
  const spaced = labels.some(({ text, joined }) => joined || partsOf(text).mark);
  const first = labels.slice(0, HINT).map((label) => label.text);
  const text = decoded(first.join(spaced ? "" : " ")).trim();
  return labels.length > HINT ? `${text}…` : text;
}

class Chips {
  /** @type {(() => void) | null} */
  drawn = null;
  cursor = 0; // start of the next search
  /** @type {number | null} */
  selected = null;
  /** Chip that stays in place while others get names. @type {number | null} */
  held = null;
  /** @type {((at: number) => void) | null} */
  found = null;

  /** @param {HTMLElement} root @param {Store} store @param {Axis} own @param {Long | null} long */
  constructor(root, store, own, long) {
    const { t } = store;
    const label = t(own === "query" ? "tokens.label" : "context.tokens");
    this.root = root;
    this.store = store;
    this.own = own;
    this.long = long;
    const choose = (/** @type {string} */ index) => setView(store, { batch: Number(index), cell: null });
    this.batch = makeSelect(choose, { hidden: true, "aria-label": t("batch.label") });
    this.strip = h("ol", { class: "chips", translate: "no", tabindex: "0", "aria-label": label });
    this.count = h("span", { class: "count" });
    this.window = new ChipWindow(store, (by) => this.turn(by));
    this.search = long?.search(
      () => this.cursor,
      (at) => this.lead(at),
    );
    root.append(this.batch, this.window.before, this.strip, this.window.after, this.count);
    if (this.search) root.append(this.search.root);
    byStrip.set(this.strip, this);
    const seen = { root: this.strip, rootMargin: "8px 1px", threshold: WHOLE };
    this.ends = new IntersectionObserver((ends) => this.fade(ends), seen);
  }

  /** @type {Part["update"]} */
  update(state, previous) {
    const { answer, view } = state;
    if (!answer) return;
    const fresh = answer !== previous?.answer || view.batch !== previous?.view.batch;
    const selected = this.selectedIn(state);
    if (fresh) {
      this.window.count(wordsOf(answer.reply, this.own).size);
      this.offer(answer.reply, view.batch);
    }
    // The Map tab has its own search.
    if (fresh || view.tab !== previous?.view.tab)
      this.search?.show(this.window.isPart && view.tab !== "map" ? this.window.size : 0);
    const moved = selected !== null && (fresh || view !== previous?.view) && this.window.show(selected);
    if (fresh || moved || state.named !== previous?.named) this.redraw();
    else this.light(state);
    if (selected !== null && (fresh || selected !== this.selected)) this.seek(selected);
    this.selected = selected;
  }

  /** @param {State} state */
  selectedIn({ view: { picked, cell, after }, answer }) {
    const mine = (/** @type {string} */ axis) =>
      axis === this.own || (axis === "key" && !answer?.reply.context_lengths);
    if (picked && mine(picked.axis)) return picked.at[picked.at.length - 1];
    if (cell) {
      const { rows, cols } = sides(stageOf(this.store.page, cell.stage));
      return mine(rows) ? cell.row : mine(cols) ? cell.col : null;
    }
    return this.own === "query" ? after : null;
  }

  redraw() {
    const state = this.store.get();
    const { answer, view } = state;
    if (!answer) return;
    const { start, end } = this.window;
    if (end - start < this.window.size) this.long?.want([start, end]);
    const [left, at] = [this.strip.scrollLeft, this.placeOf(this.held)];
    this.draw(answer.reply, view.batch);
    const now = this.placeOf(this.held);
    this.strip.scrollLeft = at === null || now === null ? left : left + now - at; // names are wider than numbers
    this.watchEnds();
    this.light(state);
    this.direct(labelsOf(answer.reply, view.batch, this.own).slice(start, end));
    this.drawn?.();
  }

  /** @param {Label[]} labels */
  direct(labels) {
    if (runsRight(labels)) setTokens(this.strip, /** @type {HTMLElement[]} */ ([...this.strip.children]), labels);
    else this.strip.dir = "";
  }

  /** @param {Reply} reply @param {number} index */
  draw(reply, index) {
    const { t } = this.store;
    const { start, end, size } = this.window;
    const words = wordsOf(reply, this.own);
    const n = words.lengths[index];
    const part = end - start < size;
    const chip = (/** @type {Label} */ label, /** @type {number} */ at) => {
      const { mark, word } = partsOf(label.char ?? label.text);
      const rest = label.joined && label.char && labels[at - start - 1]?.char; // a later byte of a character
      const space = !rest && mark && h("span", { class: "space", "aria-hidden": "true" }, mark);
      const place = part && { "aria-setsize": size, "aria-posinset": at + 1 };
      const names = { class: `chip${at < n ? "" : " padding"}${label.joined ? " part" : ""}`, "data-at": at, ...place };
      return h("li", names, space, rest ? "" : word || "–", (words.tokens || label.index !== null) && h("sub", {}, at));
    };
    const labels = labelsOf(reply, index, this.own).slice(start, end);
    this.strip.replaceChildren(...labels.map((label, at) => chip(label, start + at)));
    this.count.textContent = part ? t("tokens.window", { from: start, to: end - 1, n }) : t("tokens.count", { n });
  }

  /** @param {number | null} at */
  chipAt(at) {
    return /** @type {HTMLElement | null} */ (this.strip.querySelector(`[data-at="${at}"]`));
  }

  /** @param {number | null} at */
  placeOf(at) {
    return this.chipAt(at)?.offsetLeft ?? null;
  }

  /** Scrolls the strip, not the page, to a token. @param {number} at */
  seek(at) {
    const chip = this.chipAt(at);
    if (!chip) return;
    this.held = at;
    const { scrollLeft, clientWidth, offsetLeft } = this.strip;
    const start = chip.offsetLeft - offsetLeft - scrollLeft;
    if (start >= EDGE && start + chip.offsetWidth <= clientWidth - EDGE) return;
    this.strip.scrollLeft += start - (clientWidth - chip.offsetWidth) / 2;
  }

  /** @param {number} by */
  turn(by) {
    this.held = null;
    this.redraw();
    const end = this.strip.dir === "rtl" ? -this.strip.scrollWidth : this.strip.scrollWidth;
    this.strip.scrollLeft = by > 0 ? 0 : end;
  }

  /** @param {number} at */
  bring(at) {
    if (this.window.show(at)) this.redraw();
    this.seek(at);
    return this.chipAt(at);
  }

  /** @param {number} at */
  lead(at) {
    this.cursor = at;
    this.bring(at);
    this.found?.(at);
  }

  watchEnds() {
    const { firstElementChild: first, lastElementChild: last } = this.strip;
    this.ends.disconnect();
    for (const end of [first, last]) if (end && first !== last) this.ends.observe(end);
  }

  /** @param {IntersectionObserverEntry[]} ends */
  fade(ends) {
    for (const { target, intersectionRatio } of ends) {
      const name = target === this.strip.firstElementChild ? "data-before" : "data-after";
      this.strip.toggleAttribute(name, intersectionRatio < WHOLE);
    }
  }

  /** @param {Reply} reply @param {number} index */
  offer(reply, index) {
    const { t } = this.store;
    const textOf = (/** @type {number} */ at) => beginningOf(labelsOf(reply, at).slice(0, reply.lengths[at]));
    const nameOf = (/** @type {number} */ at) =>
      reply.tokens ? t("batch.option", { n: at + 1, text: textOf(at) }) : String(at + 1);
    offerIndices(this.batch, reply.lengths.length, index, nameOf);
    this.batch.hidden = this.own === "key" || reply.lengths.length < 2;
  }

  /** @param {State} state */
  light(state) {
    const { hover, view, answer } = state;
    for (const chip of [...this.strip.querySelectorAll(".axis-query, .axis-key")])
      chip.classList.remove("axis-query", "axis-key");
    const active = hover ?? view.cell;
    if (!active) return;
    const { rows, cols } = sides(stageOf(this.store.page, active.stage));
    const places = cellsOfPieces(state, active).flatMap(({ row, col }) => [
      { axis: rows, at: row },
      { axis: cols, at: col },
    ]);
    for (const { axis, at } of places) {
      const here = axis === this.own || (axis === "key" && !answer?.reply.context_lengths);
      if (here) this.strip.children[at - this.window.start]?.classList.add(`axis-${axis}`);
    }
  }

  destroy() {
    this.ends.disconnect();
    this.root.replaceChildren();
  }
}

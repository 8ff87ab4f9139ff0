/**
 * The lines themselves: one canvas for all, one over it for the tokens that are pointed at or picked,
 * and a list of tokens on either side that is walked with arrows.
 */

import { look, pick } from "../data/actions.js";
import { chosenHeads, weightsOf } from "../data/combine.js";
import { sumsOf, weightsSeen } from "../data/sums.js";
import { fill, h } from "../lib/dom.js";
import { widest } from "../lib/fit.js";
import { format } from "../lib/numbers.js";
import { closed } from "../lib/paint.js";
import { linesOf, stroke } from "../lib/strokes.js";
import { nameOf } from "./words.js";

/** @typedef {import("../data/state.js").State} State */
/** @typedef {"query" | "key"} Axis */
/** @typedef {{row: number, col: number, weight: number}} Line */
/** @typedef {{color: string, lines: Line[]}} Bundle */

const MOST = 6000; // lines
const TALLEST = 15_000; // device pixels of a canvas
const WIDE = 820; // CSS pixels from side to side
const BAND = { least: 260, most: 460, rest: 190 }; // CSS pixels between rows of tokens, and around them
const SAID = 5; // weights that are read aloud

/**
 * The colour of a head: hues a golden angle apart, so that neighbours never look alike.
 * @param {{layer: number, head: number}} place
 * @param {string} theme
 */
export function colorOfHead({ layer, head }, theme) {
  const hue = ((head + 5 * layer) * 137.508 + 255) % 360;
  return `oklch(${theme === "dark" ? 0.76 : 0.52} 0.15 ${hue.toFixed(1)})`;
}

/** @type {import("../data/state.js").ViewOf} */
export function web(root, store) {
  return new Web(root, store);
}

class Web {
  /** @param {HTMLElement} root @param {import("../data/state.js").Store} store */
  constructor(root, store) {
    this.root = root;
    this.store = store;
    /** @type {Bundle[]} */
    this.bundles = [];
    this.across = false;
    this.lit = /** @type {HTMLElement[]} */ ([]);
    this.all = h("canvas", { class: "all" });
    this.some = h("canvas", { class: "some" });
    this.sides = { query: this.side("query"), key: this.side("key") };
    this.heads = h("p", { class: "sides", "aria-hidden": "true" }, this.titleOf("query"), this.titleOf("key"));
    this.plot = h("div", { class: "web" }, this.all, this.some, this.sides.query, this.sides.key);
    this.note = h("p", { class: "muted" });
    this.spoken = h("p", { class: "hidden", "aria-live": "polite" });
    this.frame = h("div", { class: "web-frame" }, this.heads, this.plot);
    root.classList.add("card");
    root.append(this.frame, this.note, this.spoken);
    this.width = 0;
    this.resized = new ResizeObserver(() => {
      if (root.clientWidth === this.width) return;
      this.width = root.clientWidth;
      this.place(store.get());
    });
    this.resized.observe(root);
  }

  /** @param {Axis} axis */
  titleOf(axis) {
    return h("span", { class: `axis-${axis}` }, this.store.t(`axis.${axis}`));
  }

  /** @param {Axis} axis */
  side(axis) {
    const { store } = this;
    const attributes = { role: "listbox", tabindex: "0", "aria-multiselectable": "true" };
    const list = h("ul", { ...attributes, class: `axis-${axis}`, "aria-label": store.t(`lines.${axis}`) });
    list.addEventListener("pointermove", (event) => this.point(axis, this.tokenAt(event)));
    list.addEventListener("pointerleave", () => this.point(axis, null));
    list.addEventListener("click", (event) => {
      const at = this.tokenAt(event);
      if (at !== null) pick(store, axis, at, event.shiftKey || event.ctrlKey || event.metaKey);
    });
    list.addEventListener("keydown", (event) => this.onKey(axis, event));
    list.addEventListener("focus", () => list.matches(":focus-visible") && this.point(axis, this.cursor(axis)));
    list.addEventListener("blur", () => this.point(axis, null));
    return list;
  }

  /** @param {Event} event */
  tokenAt({ target }) {
    const item = target instanceof Element ? /** @type {HTMLElement | null} */ (target.closest("li")) : null;
    return item ? Number(item.dataset.at) : null;
  }

  /** @param {Axis} axis */
  cursor(axis) {
    const { pointed, view } = this.store.get();
    if (pointed?.axis === axis) return pointed.at;
    return view.picked?.axis === axis ? view.picked.at[0] : 0;
  }

  /** @param {Axis} axis @param {number | null} at */
  point(axis, at) {
    const { pointed } = this.store.get();
    if (pointed?.axis === axis && pointed.at === at) return;
    if (at !== null || pointed) this.store.set({ pointed: at === null ? null : { axis, at } }, { silent: true });
  }

  /** @param {Axis} axis @param {KeyboardEvent} event */
  onKey(axis, event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const last = this.sides[axis].children.length - 1;
    const at = this.cursor(axis);
    const to = /** @type {Record<string, number>} */ ({
      ArrowUp: at - 1,
      ArrowLeft: at - 1,
      ArrowDown: at + 1,
      ArrowRight: at + 1,
      PageUp: at - 10,
      PageDown: at + 10,
      Home: 0,
      End: last,
    })[event.key];
    if (to !== undefined) {
      this.point(axis, Math.max(0, Math.min(last, to)));
      this.sides[axis].children[this.cursor(axis)]?.scrollIntoView({ block: "nearest", inline: "nearest" });
    } else if (event.key === "Escape" && this.store.get().view.picked) look(this.store, { picked: null });
    else if (event.key === "Enter" || event.key === " ") pick(this.store, axis, at, event.shiftKey);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {State} state @param {State} previous */
  update(state, previous) {
    const { view, every, answer, theme } = state;
    const old = previous.view;
    const other = view.layout !== old.layout || view.batch !== old.batch;
    if (other || every !== previous.every || answer !== previous.answer) this.place(state);
    else if (view !== old || theme !== previous.theme) this.draw(state);
    else if (state.pointed !== previous.pointed) this.light(state);
  }

  destroy() {
    this.resized.disconnect();
    this.root.replaceChildren();
  }

  /**
   * Finds room for every token, then draws.
   * @param {State} state
   */
  place(state) {
    const seen = weightsSeen(this.store.page, state);
    if (!seen || this.width === 0) return;
    const names = {
      query: Array.from({ length: seen.rows }, (_, at) => nameOf(state, "query", at)),
      key: Array.from({ length: seen.cols }, (_, at) => nameOf(state, "key", at)),
    };
    const style = getComputedStyle(this.root);
    const wide = Math.min(150, widest([...names.query, ...names.key], `13px ${style.fontFamily}`) + 12);
    const count = Math.max(seen.rows, seen.cols);
    this.across = state.view.layout === "horizontal";
    const top = this.root.getBoundingClientRect().top + window.scrollY;
    const room = this.across ? this.width : Math.max(300, window.innerHeight - top - 76);
    const least = this.across ? Math.max(22, wide) : 19;
    const most = this.across ? Math.max(84, wide) : 44;
    const limit = TALLEST / window.devicePixelRatio / count;
    const pitch = Math.min(limit, Math.max(least, Math.min(most, room / count)));
    this.pitch = pitch;
    const band = Math.max(BAND.least, Math.min(BAND.most, window.innerHeight - top - BAND.rest));
    this.gap = this.across ? band : Math.min(this.width - 28, WIDE) - 2 * (wide + 44);
    this.frame.style.setProperty("--pitch", `${pitch}px`);
    this.frame.style.setProperty("--label", `${wide + 44}px`);
    this.frame.style.setProperty("--gap", `${this.gap}px`);
    this.frame.style.setProperty("--length", `${pitch * count}px`);
    this.frame.classList.toggle("across", this.across);
    for (const axis of /** @type {Axis[]} */ (["query", "key"])) this.list(axis, names[axis]);
    this.draw(state);
  }

  /** @param {Axis} axis @param {string[]} names */
  list(axis, names) {
    const items = names.map((name, at) => {
      const id = `lines-${axis}-${at}`;
      return h("li", { role: "option", id, "data-at": at, title: name }, h("span", {}, name), h("b"));
    });
    fill(this.sides[axis], items);
    this.lit = [];
  }

  /** @param {State} state */
  draw(state) {
    const { view, theme } = state;
    const places = chosenHeads(state);
    const seen = weightsSeen(this.store.page, state);
    if (!seen || !this.pitch || this.sides.query.children.length !== seen.rows) return;
    this.bundles = places.flatMap((place) => {
      const picture = places.length === 1 ? seen : weightsOf(state, place);
      const skip = (/** @type {number} */ row, /** @type {number} */ col) => closed(seen, row, col);
      return picture ? [{ color: colorOfHead(place, theme), lines: linesOf(picture, view.threshold, skip) }] : [];
    });
    const weights = this.bundles.flatMap(({ lines }) => lines.map(({ weight }) => weight));
    const least = weights.length > MOST ? weights.toSorted((a, b) => b - a)[MOST - 1] : 0;
    this.note.textContent = this.store.t(least ? "lines.strongest" : "lines.count", { n: MOST, all: weights.length });
    this.paint(this.all, ({ weight }) => weight >= least);
    this.light(state);
  }

  /** @param {HTMLCanvasElement} canvas @param {(line: Line) => boolean} wanted */
  paint(canvas, wanted) {
    const density = window.devicePixelRatio;
    const pitch = /** @type {number} */ (this.pitch);
    const gap = /** @type {number} */ (this.gap);
    const length = pitch * Math.max(...Object.values(this.sides).map((side) => side.children.length));
    const [wide, high] = this.across ? [length, gap] : [gap, length];
    canvas.width = Math.round(wide * density);
    canvas.height = Math.round(high * density);
    const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    context.scale(density, density);
    const sides = { across: this.across, near: 2, far: gap - 2 };
    const middle = (/** @type {number} */ at) => (at + 0.5) * pitch;
    for (const { color, lines } of this.bundles) {
      const ends = lines
        .filter(wanted)
        .map(({ row, col, weight }) => ({ from: middle(row), to: middle(col), weight }));
      stroke(context, ends, color, sides);
    }
  }

  /**
   * Shows the lines of the tokens that are pointed at, or else picked, and what they sum to.
   * @param {State} state
   */
  light(state) {
    const { pointed, view } = state;
    const active = pointed ? { axis: pointed.axis, at: [pointed.at] } : view.picked;
    const seen = weightsSeen(this.store.page, state);
    this.plot.classList.toggle("focused", Boolean(active));
    for (const item of this.lit.splice(0)) {
      item.className = "";
      item.style.removeProperty("--weight");
      /** @type {HTMLElement} */ (item.lastChild).textContent = "";
    }
    this.mark(state, active);
    if (!active || !seen) return;
    const tokens = new Set(active.at);
    this.paint(this.some, ({ row, col }) => tokens.has(active.axis === "query" ? row : col));
    const { entries } = sumsOf(seen, active.axis, active.at);
    const others = this.sides[active.axis === "query" ? "key" : "query"].children;
    for (const { at, weight } of entries) {
      if (weight < view.threshold) continue;
      const item = /** @type {HTMLElement} */ (others[at]);
      item.style.setProperty("--weight", String(Math.min(1, weight)));
      item.className = "met";
      /** @type {HTMLElement} */ (item.lastChild).textContent = format(weight, 2);
      this.lit.push(item);
    }
    if (pointed && this.sides[pointed.axis].matches(":focus")) this.say(state, pointed, entries);
  }

  /** @param {State} state @param {import("../data/address.js").Picked | null} active */
  mark({ pointed, view: { picked } }, active) {
    for (const axis of /** @type {Axis[]} */ (["query", "key"])) {
      const list = this.sides[axis];
      for (const item of list.querySelectorAll("[aria-selected=true], .active")) {
        item.setAttribute("aria-selected", "false");
        item.classList.remove("active");
      }
      if (picked?.axis === axis)
        for (const at of picked.at) list.children[at]?.setAttribute("aria-selected", "true");
      if (active?.axis === axis)
        for (const at of active.at) list.children[at]?.classList.add("active");
      if (pointed?.axis === axis) list.setAttribute("aria-activedescendant", `lines-${axis}-${pointed.at}`);
      else list.removeAttribute("aria-activedescendant");
    }
  }

  /**
   * @param {State} state
   * @param {{axis: Axis, at: number}} pointed
   * @param {{at: number, weight: number}[]} entries
   */
  say(state, { axis, at }, entries) {
    const other = axis === "query" ? "key" : "query";
    const most = entries.toSorted((a, b) => b.weight - a.weight).slice(0, SAID);
    const told = most.map((each) => `${nameOf(state, other, each.at)} ${format(each.weight, 2)}`);
    this.spoken.textContent = `${nameOf(state, axis, at)}: ${told.join(", ")}`;
  }
}

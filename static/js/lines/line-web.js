/** The lines themselves: one canvas for all, one over it for the tokens that are pointed at or picked. */

import { chosenHeads, weightsOf } from "../core/combined-heads.js";
import { sumsOf, weightsSeen } from "../core/weight-sums.js";
import { h } from "../lib/dom.js";
import { widest } from "../lib/fit.js";
import { format } from "../lib/numbers.js";
import { closed, valueAt } from "../lib/paint.js";
import { nameOf } from "../matrix/names.js";
import { colorOfHead } from "./head-color.js";
import { spacingOf } from "./spacing.js";
import { MOST, linesOf, stroke } from "./strokes.js";
import { TokenList } from "./token-list.js";

/** @typedef {import("../core/state.js").State} State */
/** @typedef {import("../core/state.js").Store} Store */
/** @typedef {import("../lib/paint.js").Picture} Picture */
/** @typedef {"query" | "key"} Axis */
/** @typedef {{row: number, col: number, weight: number}} Line */
/** @typedef {{color: string, lines: Line[]}} Bundle */

const SAID = 5; // weights that are read aloud

export class LineWeb {
  /** @param {HTMLElement} root @param {Store} store */
  constructor(root, store) {
    this.root = root;
    this.store = store;
    /** @type {Bundle[]} */
    this.bundles = [];
    /** @type {import("./spacing.js").Spacing | null} */
    this.spacing = null;
    this.across = false;
    this.all = h("canvas", { class: "all" });
    this.some = h("canvas", { class: "some" });
    this.sides = { query: new TokenList(store, "query"), key: new TokenList(store, "key") };
    this.note = h("p", { class: "muted" });
    this.spoken = h("p", { class: "hidden", "aria-live": "polite" });
    this.plot = h("div", { class: "web" }, this.all, this.some, this.sides.query.root, this.sides.key.root);
    this.frame = h("div", { class: "web-frame" }, titles(store), this.plot);
    root.classList.add("card");
    root.append(this.frame, this.note, this.spoken);
    this.width = 0;
    this.resized = new ResizeObserver(() => this.resize());
    this.resized.observe(root);
  }

  resize() {
    if (this.root.clientWidth === this.width) return;
    this.width = this.root.clientWidth;
    this.place(this.store.get());
  }

  /** @param {State} state @param {State} [previous] */
  update(state, previous) {
    const { view, every, answer, theme } = state;
    const old = previous?.view;
    const other = view.layout !== old?.layout || view.batch !== old?.batch;
    if (other || every !== previous?.every || answer !== previous?.answer) this.place(state);
    else if (view !== old || theme !== previous?.theme) this.draw(state);
    else if (state.pointed !== previous?.pointed || state.exact !== previous?.exact) this.light(state);
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
    const font = `13px ${getComputedStyle(this.root).fontFamily}`;
    this.across = state.view.layout === "horizontal";
    this.spacing = spacingOf({
      count: Math.max(seen.rows, seen.cols),
      name: widest([...names.query, ...names.key], font),
      width: this.width,
      height: window.innerHeight - this.root.getBoundingClientRect().top - window.scrollY,
      density: window.devicePixelRatio,
      across: this.across,
    });
    this.frame.classList.toggle("across", this.across);
    this.frame.classList.toggle("dense", this.spacing.apart > 1);
    for (const name of /** @type {const} */ (["pitch", "label", "gap", "length"]))
      this.frame.style.setProperty(`--${name}`, `${this.spacing[name]}px`);
    for (const side of Object.values(this.sides)) side.show(names[side.axis], this.spacing.apart);
    this.draw(state);
  }

  /** @param {State} state */
  draw(state) {
    const seen = weightsSeen(this.store.page, state);
    if (!seen || !this.spacing || this.sides.query.count !== seen.rows) return;
    this.bundles = bundlesOf(state, seen);
    const weights = this.bundles.flatMap(({ lines }) => lines.map(({ weight }) => weight));
    const least = weights.length > MOST ? weights.toSorted((a, b) => b - a)[MOST - 1] : 0;
    const key = seen.coarse ? "lines.by_row" : least ? "lines.strongest" : "lines.count";
    const [rows, cols] = seen.coarse?.side ?? [1, 1];
    this.note.textContent = this.store.t(key, { n: MOST, all: weights.length, rows, cols });
    const shown = this.bundles.map(({ color, lines }) => ({
      color,
      lines: lines.filter(({ weight }) => weight >= least),
    }));
    this.paint(this.all, this.spacing, shown);
    this.light(state);
  }

  /**
   * @param {HTMLCanvasElement} canvas
   * @param {import("./spacing.js").Spacing} spacing
   * @param {Bundle[]} bundles
   */
  paint(canvas, { pitch, gap, length }, bundles) {
    const density = window.devicePixelRatio;
    const [wide, high] = this.across ? [length, gap] : [gap, length];
    canvas.width = Math.round(wide * density);
    canvas.height = Math.round(high * density);
    const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    context.scale(density, density);
    const sides = { across: this.across, near: 2, far: gap - 2 };
    const middle = (/** @type {number} */ at) => (at + 0.5) * pitch;
    for (const { color, lines } of bundles) {
      const ends = lines.map(({ row, col, weight }) => ({ from: middle(row), to: middle(col), weight }));
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
    for (const side of Object.values(this.sides)) {
      side.forget();
      side.mark(state, active);
    }
    if (!active || !seen || !this.spacing) return;
    const sums = sumsOf(seen, active.axis, active.at, "web");
    const exact = sums && seen.coarse;
    this.paint(this.some, this.spacing, exact ? this.ownOf(state, active) : this.linesAt(active, seen.coarse?.side));
    if (!sums) return; // the weights beside the tokens are numbers
    const { entries } = sums;
    const others = this.sides[active.axis === "query" ? "key" : "query"];
    others.meet(entries.filter(({ weight }) => weight >= view.threshold));
    if (pointed && this.sides[pointed.axis].root.matches(":focus")) this.say(state, pointed, entries);
  }

  /**
   * Those of some tokens; of a picture those that begin, or end, where they share a point with others.
   * @param {{axis: Axis, at: number[]}} active
   * @param {[number, number]} [side] of a point
   * @returns {Bundle[]}
   */
  linesAt({ axis, at }, side = [1, 1]) {
    const near = (/** @type {Line} */ line) => {
      const [own, reach] = axis === "query" ? [line.row, side[0]] : [line.col, side[1]];
      return at.some((token) => Math.abs(own - token) < reach / 2);
    };
    return this.bundles.map(({ color, lines }) => ({ color, lines: lines.filter(near) }));
  }

  /**
   * The lines of some tokens by their numbers, which have come.
   * @param {State} state
   * @param {{axis: Axis, at: number[]}} active
   * @returns {Bundle[]}
   */
  ownOf(state, { axis, at }) {
    return chosenHeads(state).map((place) => {
      const picture = weightsOf(state, place);
      const count = picture ? (axis === "query" ? picture.cols : picture.rows) : 0;
      const others = Array.from({ length: count }, (_, other) => other);
      const lines = at.flatMap((token) =>
        others.map((other) => {
          const [row, col] = axis === "query" ? [token, other] : [other, token];
          return { row, col, weight: valueAt(/** @type {Picture} */ (picture), row, col) };
        }),
      );
      const least = (/** @type {Line} */ { weight }) => weight > 0 && weight >= state.view.threshold;
      return { color: colorOfHead(place, state.theme), lines: lines.filter(least) };
    });
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

/** @param {Store} store */
function titles({ t }) {
  const axes = ["query", "key"].map((axis) => h("span", { class: `axis-${axis}` }, t(`axis.${axis}`)));
  return h("p", { class: "sides", "aria-hidden": "true" }, axes);
}

/**
 * The lines of every chosen head, in its colour.
 * @param {State} state
 * @param {Picture} seen the heads together
 * @returns {Bundle[]}
 */
function bundlesOf(state, seen) {
  const { view, theme } = state;
  const places = chosenHeads(state);
  const skip = (/** @type {number} */ row, /** @type {number} */ col) => closed(seen, row, col);
  return places.flatMap((place) => {
    const picture = places.length === 1 ? seen : weightsOf(state, place);
    return picture ? [{ color: colorOfHead(place, theme), lines: linesOf(picture, view.threshold, skip) }] : [];
  });
}

/** One canvas shows all lines, another only lines of active tokens. */

import { chosenHeads, weightsOf } from "../core/combined-heads.js";
import { labelsOf } from "../core/answer.js";
import { placesInRow } from "../core/token-order.js";
import { answerKey } from "../core/traces.js";
import { sumsOf, weightsInView } from "../core/weight-sums.js";
import { h } from "../lib/dom.js";
import { widest } from "../lib/fit.js";
import { format } from "../lib/numbers.js";
import { isClosed, valueAt } from "../lib/paint.js";
import { leftOutWords } from "../matrix/left-out.js";
import { nameOf } from "../matrix/names.js";
import { colorOfHead, spacingOf, MOST, linesOf, stroke } from "./drawing.js";
import { LINES_PER_TOKEN, linesBetween, ShownTokens, weightIn } from "./line-window.js";
import { TokenList } from "./token-list.js";
import { WindowBar } from "./window-bar.js";

/** @typedef {import("./line-window.js").Line} Line */
/** @typedef {{color: string, lines: Line[]}} Bundle */

const AXES = /** @type {const} */ (["query", "key"]);
const SAID = 5; // most announced weights
const DECIMALS = { whole: 2, part: 3 }; // of weights beside tokens; `part`: in a window

export class LineWeb {
  /** @param {HTMLElement} root @param {Store} store */
  constructor(root, store) {
    this.root = root;
    this.store = store;
    /** @type {Bundle[]} */
    this.bundles = [];
    /** @type {import("./drawing.js").Spacing | null} */
    this.spacing = null;
    this.across = false;
    /** @type {Record<Axis, import("../core/token-order.js").Row | null> | null} */
    this.rows = null;
    this.all = h("canvas", { class: "all" });
    this.some = h("canvas", { class: "some" });
    this.shown = new ShownTokens(store);
    this.ready = false; // `shown.sides` is up to date
    this.bar = new WindowBar(store, (by) => this.turn(by));
    const list = (/** @type {Axis} */ axis) => new TokenList(store, axis, (to) => this.moveWindow(axis, to));
    this.sides = { query: list("query"), key: list("key") };
    this.note = h("p", { class: "muted" });
    this.spoken = h("p", { class: "hidden", "aria-live": "polite" });
    this.plot = h("div", { class: "web" }, this.all, this.some, this.sides.query.root, this.sides.key.root);
    this.frame = h("div", { class: "web-frame" }, titles(store), this.plot);
    root.classList.add("card");
    root.append(this.bar.root, this.frame, this.note, this.spoken);
    this.width = 0;
    // In the next frame, because the lines change the height that is observed, and browsers report such a loop.
    this.resized = new ResizeObserver(() => requestAnimationFrame(() => this.resize()));
    this.resized.observe(root);
  }

  resize() {
    if (this.root.clientWidth === this.width) return;
    this.width = this.root.clientWidth;
    this.place(this.store.get());
  }

  /** @type {Part["update"]} */
  update(state, previous) {
    const { view, every, answer, theme } = state;
    const old = previous?.view;
    const other = view.layout !== old?.layout || view.batch !== old?.batch || state.named !== previous?.named;
    const turned = this.shown.part ? view !== old : false; // the view may move the window
    const came = this.shown.waits && state.exact !== previous?.exact;
    if (other || turned || came || every !== previous?.every || answer !== previous?.answer) this.place(state);
    else if (view !== old || theme !== previous?.theme) this.draw(state);
    else if (state.pointed !== previous?.pointed || state.exact !== previous?.exact) this.light(state);
  }

  destroy() {
    this.resized.disconnect();
    this.root.replaceChildren();
  }

  /** @param {number} by */
  turn(by) {
    const state = this.store.get();
    const seen = weightsInView(this.store.page, state);
    if (!seen) return;
    this.shown.page(seen, by);
    this.place(state);
  }

  /** @param {Axis} axis @param {number} to @returns false if this axis has no window */
  moveWindow(axis, to) {
    const state = this.store.get();
    const seen = weightsInView(this.store.page, state);
    if (!seen || this.shown.part?.lead !== axis) return false;
    this.shown.turn(seen, axis, to, this.shown.part);
    this.place(state);
    return true;
  }

  /** @param {State} state */
  place(state) {
    const { view } = state;
    const seen = weightsInView(this.store.page, state);
    if (!seen) this.root.toggleAttribute("data-pending", this.ready);
    if (!seen || this.width === 0) return;
    this.ready = this.shown.find(state, seen);
    this.root.toggleAttribute("data-pending", !this.ready);
    if (!this.ready) return;
    const { part, sides } = this.shown;
    const sizes = { query: seen.rows, key: seen.cols };
    this.bar.show(part, sides, part ? this.shown.sizes(seen, part.lead).own : 0);
    const named = (/** @type {Axis} */ axis) => sides[axis].map((at) => nameOf(state, axis, at));
    const names = { query: named("query"), key: named("key") };
    const font = `13px ${getComputedStyle(this.root).fontFamily}`;
    this.across = view.layout === "horizontal";
    this.spacing = spacingOf({
      count: Math.max(names.query.length, names.key.length),
      name: widest([...names.query, ...names.key], font),
      width: this.width,
      height: window.innerHeight - this.root.getBoundingClientRect().top - window.scrollY,
      across: this.across,
    });
    this.frame.classList.toggle("across", this.across);
    for (const name of /** @type {const} */ (["pitch", "label", "gap", "length"]))
      this.frame.style.setProperty(`--${name}`, `${this.spacing[name]}px`);
    const inRow = (/** @type {Axis} */ axis) => {
      const labels = labelsOf(/** @type {Answer} */ (state.answer).reply, view.batch, axis);
      return this.across ? placesInRow(sides[axis].map((at) => labels[at])) : null;
    };
    this.rows = { query: inRow("query"), key: inRow("key") };
    for (const list of Object.values(this.sides))
      list.show(sides[list.axis], names[list.axis], part && sizes[list.axis], this.rows[list.axis]);
    this.draw(state);
  }

  /** @param {State} state */
  draw(state) {
    const seen = weightsInView(this.store.page, state);
    if (!seen || !this.spacing || !this.ready) return;
    this.frame.dataset.trace = answerKey(state);
    const { part, sides } = this.shown;
    this.bundles = bundlesOf(state, seen, part && { lead: part.lead, sides });
    const weights = this.bundles.flatMap(({ lines }) => lines.map(({ weight }) => weight)).toSorted((a, b) => b - a);
    const least = weights.length > MOST ? weights[MOST - 1] : 0;
    const key = part ? "lines.by_token" : seen.coarse ? "lines.by_row" : least ? "lines.strongest" : "lines.count";
    const [rows, cols] = seen.coarse?.side ?? [1, 1];
    const largest = format(weights[0] ?? 0, DECIMALS.part);
    const { t } = this.store;
    const said = t(key, { n: MOST, all: weights.length, rows, cols, each: LINES_PER_TOKEN, largest });
    this.note.textContent = [said, leftOutWords(this.store, state, "heads.skip_lines")]
      .filter(Boolean)
      .join(t("text.between"));
    const shown = this.bundles.map(({ color, lines }) => ({
      color,
      lines: lines.filter(({ weight }) => weight >= least),
    }));
    this.paint(this.all, this.spacing, shown, part ? strongestIn(shown) : 1);
    this.light(state);
  }

  /**
   * @param {HTMLCanvasElement} canvas @param {import("./drawing.js").Spacing} spacing @param {Bundle[]} bundles
   * @param {number} full weight of an opaque line
   */
  paint(canvas, { pitch, gap, length }, bundles, full) {
    const density = window.devicePixelRatio;
    const [wide, high] = this.across ? [length, gap] : [gap, length];
    canvas.width = Math.round(wide * density);
    canvas.height = Math.round(high * density);
    const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    context.scale(density, density);
    const sides = { across: this.across, near: 2, far: gap - 2 };
    const [rows, cols] = AXES.map((axis) => placesOf(this.shown.sides[axis]));
    const middle = (/** @type {Axis} */ axis, /** @type {Map<number, number>} */ places, /** @type {number} */ at) => {
      const row = this.rows?.[axis];
      const place = places.get(at) ?? at;
      const from = ((row?.places[place] ?? place) + 0.5) * pitch;
      return row?.right ? length - from : from;
    };
    for (const { color, lines } of bundles) {
      const ends = lines.map(({ row, col, weight }) => ({
        from: middle("query", rows, row),
        to: middle("key", cols, col),
        weight: weight / full,
      }));
      stroke(context, ends, color, sides);
    }
  }

  /** @param {State} state */
  light(state) {
    const { pointed, view } = state;
    const { part, sides } = this.shown;
    const token = pointed ? { axis: pointed.axis, at: [pointed.at] } : view.picked;
    const active = token?.at.some((at) => sides[token.axis].includes(at)) ? token : null;
    const seen = weightsInView(this.store.page, state);
    this.plot.classList.toggle("focused", Boolean(active));
    for (const side of Object.values(this.sides)) {
      side.clearWeights();
      side.mark(state, active);
    }
    if (!active || !seen || !this.spacing || !this.ready) return;
    const sums = sumsOf(seen, active.axis, active.at, "web");
    const exact = sums && seen.coarse && !part;
    const own = exact ? this.exactLinesOf(state, active) : this.linesAt(active, part ? undefined : seen.coarse?.side);
    const full = part ? strongestIn(own) : 1;
    this.paint(this.some, this.spacing, own, full);
    if (!sums) return; // numbers pending
    const { entries } = sums;
    const other = active.axis === "query" ? "key" : "query";
    const drawn = new Set(own.flatMap(({ lines }) => lines.map(({ row, col }) => (other === "key" ? col : row))));
    const met = entries.filter(({ at, weight }) => (part ? drawn.has(at) : weight >= view.threshold));
    this.sides[other].showWeights(met, full, part ? DECIMALS.part : DECIMALS.whole);
    if (pointed && this.sides[pointed.axis].root.matches(":focus")) this.announce(state, pointed, entries);
  }

  /**
   * Lines of active tokens. In a quantised picture, a line stands for a point: `side[0]` × `side[1]` cells.
   * @param {Picked} active @param {Span} [side]
   */
  linesAt({ axis, at }, side = [1, 1]) {
    const near = (/** @type {Line} */ line) => {
      const [own, reach] = axis === "query" ? [line.row, side[0]] : [line.col, side[1]];
      return at.some((token) => Math.abs(own - token) < reach / 2);
    };
    return this.bundles.map(({ color, lines }) => ({ color, lines: lines.filter(near) }));
  }

  /** @param {State} state @param {Picked} active */
  exactLinesOf(state, { axis, at }) {
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

  /** @param {State} state @param {Pointed} pointed @param {{at: number, weight: number}[]} entries */
  announce(state, { axis, at }, entries) {
    const other = axis === "query" ? "key" : "query";
    const most = entries.toSorted((a, b) => b.weight - a.weight).slice(0, SAID);
    const texts = most.map((each) => `${nameOf(state, other, each.at)} ${format(each.weight, 2)}`);
    this.spoken.textContent = `${nameOf(state, axis, at)}: ${texts.join(", ")}`;
  }
}

/** @param {Store} store */
function titles({ t }) {
  const axes = ["query", "key"].map((axis) => h("span", { class: `axis-${axis}` }, t(`axis.${axis}`)));
  return h("p", { class: "sides", "aria-hidden": "true" }, axes);
}

/** @param {Bundle[]} bundles */
const strongestIn = (bundles) =>
  bundles.flatMap(({ lines }) => lines).reduce((most, { weight }) => Math.max(most, weight), 0) || 1;

/** @param {number[]} tokens */
const placesOf = (tokens) => new Map(tokens.map((at, place) => [at, place]));

/**
 * @param {State} state @param {Picture} seen
 * @param {{lead: Axis, sides: Record<Axis, number[]>} | null} part
 */
function bundlesOf(state, seen, part) {
  const { view, theme } = state;
  const places = chosenHeads(state);
  const skip = (/** @type {number} */ row, /** @type {number} */ col) => isClosed(seen, row, col);
  return places.flatMap((place) => {
    const picture = places.length === 1 ? seen : weightsOf(state, place);
    if (!picture) return [];
    const lines = part
      ? linesBetween(part.sides, part.lead, view.threshold, weightIn(picture))
      : linesOf(picture, view.threshold, skip);
    return [{ color: colorOfHead(place, theme), lines }];
  });
}

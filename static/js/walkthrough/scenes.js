/** `frame(t)` draws a scene at the moment t, from 0 to 1. */

import { sides, stageOf } from "../core/page.js";
import { scaleOf } from "../core/picture.js";
import { picture } from "./timeline.js";
import { colorIndex, isClosed, paint, valueAt } from "../lib/paint.js";
import { colorsOf } from "../matrix/colors.js";
import { h } from "../lib/dom.js";
import { format } from "../lib/numbers.js";
import { textColor } from "../lib/text-color.js";
import { labelOf, nameOf } from "../matrix/names.js";

/** @typedef {import("./timeline.js").Sum} Sum */
/** @typedef {{element: HTMLElement, frame: (t: number) => void}} Scene */
/** @typedef {{stage: string, row: number, from: number, to: number, part?: [number, number]}} Strip */
/** @typedef {{text: string, stage?: string, value?: number}} Piece */
/** @typedef {{a: string, b?: string, axis: string, after?: string, mark?: number}} Stages */

const WIDE = 1200; // device pixels

/** @param {number} t @param {number} from @param {number} to */
const progress = (t, from, to) => Math.max(0, Math.min(1, (t - from) / (to - from || 1)));

/** "row" becomes "auto", as a single number has no row. @param {State} state */
const rangeOf = ({ view: { range } }) => (range === "row" ? "auto" : range);

/** @param {Store} store @param {State} state @param {string} stage @param {number} value @param {string} [before] */
function chip(store, state, stage, value, before = "") {
  const element = h("span", { class: "chip", translate: "no" }, before, format(value, state.view.precision));
  const seen = picture(store, state, stage);
  if (!seen || value === -Infinity) element.classList.add(value === -Infinity ? "closed" : "plain");
  else {
    const { kind } = stageOf(store.page, stage);
    const colors = colorsOf(store.page, state.theme, kind);
    const index = colorIndex(value, scaleOf(seen, stageOf(store.page, stage), rangeOf(state)));
    element.style.background = colors.css(index);
    element.style.color = textColor(colors, index);
  }
  return element;
}

/**
 * Animates a sum: factors meet, products appear, the sum grows.
 * @param {Store} store @param {State} state @param {Sum} sum
 * @param {Stages} of @returns {Scene}
 */
export function sumScene(store, state, sum, of) {
  const { terms, rest, total } = sum;
  const { precision } = state.view;
  const items = terms.map((term) => itemOf(store, state, term, of));
  const left = h("b", {}, format(rest.sum, precision));
  const more = h("li", { class: "more" }, store.t("tell.more", { n: rest.count }), left);
  const [value, track] = [h("output", { class: "sum", translate: "no", "aria-hidden": "true" }), h("i")];
  const partial = partials(terms, rest.sum);
  const most = Math.max(...partial.map(Math.abs)) || 1;
  const lead = of.after ? store.t("tell.exps") : `${labelOf(store, of.a)} · ${labelOf(store, of.b ?? "")}`;
  const axis = of.axis === "key" ? "axis-key" : "";
  const element = h(
    "div",
    { class: "scene sums" },
    h("p", { class: "lead" }, lead, h("span", { class: axis }, ` · ${store.t(`axis.${of.axis}`)} →`)),
    h("ol", { class: "terms" }, ...items.map(({ li }) => li), rest.count > 0 && more),
    h("div", { class: "growing" }, h("span", { class: "track" }, track), value),
  );
  const end = of.after ? 0.75 : 0.94;
  const steps = terms.length + (rest.count > 0 ? 1 : 0);
  return {
    element,
    frame(t) {
      const meet = progress(t, 0, 0.1);
      const along = progress(t, 0.1, end) * steps;
      items.forEach(({ a, b, product, after, li }, index) => {
        const now = Math.min(1, Math.max(0, along - index));
        a.style.translate = `0 ${-10 * (1 - meet)}px`;
        if (b) b.style.translate = `0 ${10 * (1 - meet)}px`;
        product.style.opacity = String(now);
        li.classList.toggle("now", now > 0 && now < 1);
        if (after) after.style.opacity = String(progress(t, end, 1) * steps > index ? 1 : 0);
      });
      more.style.opacity = along > terms.length ? "1" : "0";
      const done = Math.min(steps, Math.floor(along + 1e-9));
      const shown = done === steps ? total : partial[done];
      value.textContent = `Σ = ${format(shown, precision)}`;
      track.style.width = `${(50 * Math.abs(shown)) / most}%`;
      track.style.translate = shown < 0 ? "-100% 0" : "0 0";
      element.classList.toggle("done", done === steps);
    },
  };
}

/**
 * @param {Store} store @param {State} state @param {Sum["terms"][number]} term
 * @param {Stages} of
 */
function itemOf(store, state, term, of) {
  const a = chip(store, state, of.a, term.a);
  const b = of.b ? chip(store, state, of.b, term.b ?? 0, "× ") : null;
  const product = h("b", {}, format(term.product, state.view.precision));
  const after = of.after ? chip(store, state, of.after, term.after ?? 0) : null;
  const label = of.axis === "key" ? nameOf(state, of.axis, term.index) : term.index;
  const name = h("span", { class: "name", translate: "no", title: label }, label);
  const li = h("li", { class: term.index === of.mark ? "marked" : "" }, name, a, b, product, after);
  return { a, b, product, after, li };
}

/** @param {Sum["terms"]} terms @param {number} rest */
function partials(terms, rest) {
  const sums = [0];
  for (const { product } of [...terms, { product: rest }]) sums.push(sums[sums.length - 1] + product);
  return sums;
}

/** @param {Store} store @param {State} state @param {Piece[]} pieces @returns {Scene} */
export function equationScene(store, state, pieces) {
  const parts = pieces.map(({ text, stage, value }) =>
    stage === undefined || value === undefined
      ? h("span", { class: "word", translate: "no" }, text)
      : h("span", { class: "piece", translate: "no" }, chip(store, state, stage, value), h("small", {}, text)),
  );
  return {
    element: h("div", { class: "scene equation" }, parts),
    frame(t) {
      parts.forEach((piece, index) => {
        piece.style.opacity = String(progress(t * (parts.length + 1), index - 0.5, index + 0.5));
      });
    },
  };
}

/** @param {Scene[]} scenes @returns {Scene} */
export function equationsScene(scenes) {
  return {
    element: h("div", { class: "scenes" }, ...scenes.map(({ element }) => element)),
    frame(t) {
      scenes.forEach(({ frame }, index) => frame(progress(t * scenes.length, index, index + 1)));
    },
  };
}

/** @param {Store} store @param {State} state @param {Strip[]} strips @returns {Scene} */
export function stripsScene(store, state, strips) {
  const lines = strips.flatMap((strip) => {
    const canvas = rowsCanvas(store, state, strip.stage, strip.row, 1);
    if (!canvas) return [];
    const axis = sides(stageOf(store.page, strip.stage)).rows;
    const name = h("span", {}, labelOf(store, strip.stage), h("small", {}, nameOf(state, axis, strip.row)));
    const frame = h("i", { hidden: !strip.part });
    if (strip.part) {
      frame.style.left = `${100 * strip.part[0]}%`;
      frame.style.width = `${100 * (strip.part[1] - strip.part[0])}%`;
    }
    return [{ strip, canvas, line: h("div", { class: "strip" }, name, h("div", {}, canvas, frame)) }];
  });
  return {
    element: h("div", { class: "scene strips" }, ...lines.map(({ line }) => line)),
    frame(t) {
      for (const { strip, canvas } of lines)
        canvas.style.clipPath = `inset(0 ${100 * (1 - progress(t, strip.from, strip.to))}% 0 0)`;
    },
  };
}

/** Uncovers pictures row by row. @param {Store} store @param {State} state @param {string[]} stages @returns {Scene} */
export function wholeScene(store, state, stages) {
  const all = stages.flatMap((stage) => {
    const seen = picture(store, state, stage);
    const canvas = seen && rowsCanvas(store, state, stage, 0, seen.rows);
    return canvas ? [{ canvas, figure: h("figure", {}, canvas, h("figcaption", {}, labelOf(store, stage))) }] : [];
  });
  return {
    element: h("div", { class: "scene whole" }, ...all.map(({ figure }) => figure)),
    frame(t) {
      for (const { canvas } of all) canvas.style.clipPath = `inset(0 0 ${100 * (1 - t)}% 0)`;
    },
  };
}

/** @param {Store} store @param {State} state @param {string} name @param {number} first @param {number} count */
function rowsCanvas(store, state, name, first, count) {
  const seen = picture(store, state, name);
  if (!seen || first >= seen.rows) return null;
  const stage = stageOf(store.page, name);
  const { cols } = seen;
  const cells = (/** @type {number} */ row) =>
    Array.from({ length: cols }, (_, col) => (isClosed(seen, row, col) ? -Infinity : valueAt(seen, row, col)));
  const shown = count === seen.rows ? seen : { values: cells(first), rows: 1, cols };
  const colors = colorsOf(store.page, state.theme, stage.kind);
  const canvas = h("canvas", { "aria-hidden": "true" });
  const side = Math.max(1, Math.floor(WIDE / Math.max(cols, count)));
  const [width, height] = [cols, count].map((size) => Math.min(WIDE, size * side));
  paint(canvas, shown, colors, scaleOf(seen, stage, rangeOf(state)), width, height);
  return canvas;
}

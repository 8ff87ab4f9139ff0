/**
 * Where a matrix sends the tokens: their places along its first two singular directions, before and
 * after. The token that is pointed at is lit in both planes.
 */

import { fill, h } from "../lib/dom.js";
import { widest } from "../lib/fit.js";
import { format, short } from "../lib/numbers.js";
import { s } from "../lib/shapes.js";
import { WRITTEN, typeset } from "./notation.js";
import { nameOf } from "./words.js";

/** @typedef {import("../data/state.js").State} State */
/** @typedef {import("../data/told.js").Directions} Directions */
/** @typedef {"query" | "key"} Axis */

const SIDE = 200;
const MARGIN = 20;
const FONT = "10px sans-serif";
const APART = 8; // times as far out: beyond that each plane has its own scale
const NAMED = 64; // tokens that may carry their names; of more, the one that is pointed at is told
/** @param {(number | null)[][]} tokens */
const edgeOf = (tokens) => Math.max(1e-12, ...tokens.flat().map((value) => Math.abs(value ?? 0)));
const STEPS = /** @type {Record<string, number>} */ ({ ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 });

/**
 * Where each name finds room beside its point: right, left, above or below; null where there is none.
 * @param {number[][]} points
 * @param {string[]} names
 */
function labelled(points, names) {
  /** @type {number[][]} left, top, right, bottom of what is taken */
  const taken = points.map(([x, y]) => [x - 3, y - 3, x + 3, y + 3]);
  return points.map(([x, y], at) => {
    const wide = widest([names[at]], FONT);
    const places = [
      { x: 6, y: 3.5, "text-anchor": "start" },
      { x: -6, y: 3.5, "text-anchor": "end" },
      { x: 0, y: -6, "text-anchor": "middle" },
      { x: 0, y: 12, "text-anchor": "middle" },
    ];
    const found = places.find((place) => {
      const left = x + place.x - wide * { start: 0, middle: 0.5, end: 1 }[/** @type {"start"} */ (place["text-anchor"])];
      const [top, right, bottom] = [y + place.y - 8, left + wide, y + place.y + 2];
      const free = taken.every(([l, u, r, d], other) => other === at || right < l || left > r || bottom < u || top > d);
      if (!free || left < 1 || right > SIDE - 1 || top < 14 || bottom > SIDE - 14) return false;
      taken.push([left, top, right, bottom]);
      return true;
    });
    return found ?? null;
  });
}

/**
 * @param {HTMLElement} root
 * @param {import("../data/state.js").Store} store
 */
export function plane(root, store) {
  const { t } = store;
  const title = h("h3");
  const planes = h("div", { class: "planes" });
  const note = h("p", { class: "muted" });
  const reading = h("p", { class: "reading", "aria-live": "polite" });
  fill(root, title, planes, reading, note);
  /** @type {{sides: {axis: Axis, tokens: number[][]}[], values: number[]} | null} */
  let now = null;

  /** @param {Axis} axis @param {number | null} at */
  function point(axis, at) {
    const { pointed } = store.get();
    if (pointed?.axis === axis && pointed.at === at) return;
    if (at !== null || pointed) store.set({ pointed: at === null ? null : { axis, at } }, { silent: true });
  }

  /** @param {KeyboardEvent} event @param {Axis} axis @param {number} count */
  function onKey(event, axis, count) {
    const step = STEPS[event.key];
    if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
    const { pointed } = store.get();
    const at = pointed?.axis === axis ? pointed.at + step : 0;
    event.preventDefault();
    event.stopPropagation();
    point(axis, Math.max(0, Math.min(count - 1, at)));
  }

  /**
   * @param {State} state
   * @param {Axis} axis whose tokens these are
   * @param {string[]} names of the two directions
   * @param {number[][]} tokens
   * @param {number} most what the edge stands for
   */
  function picture(state, axis, names, tokens, most) {
    const finite = tokens.map(([x, y = 0]) => [x ?? NaN, y ?? NaN]);
    const half = SIDE / 2;
    const place = (/** @type {number} */ value) => (value / most) * (half - MARGIN);
    const points = finite.map(([x, y]) => [half + place(x), half - place(y)]);
    const words = finite.map((_, at) => nameOf(state, axis, at));
    const labels = finite.length <= NAMED ? labelled(points, words) : [];
    const dots = points.map(([px, py], at) => {
      const [name, beside] = [words[at], labels[at]];
      return s(
        "g",
        { class: "token-dot", "data-at": at, transform: `translate(${px.toFixed(1)} ${py.toFixed(1)})` },
        s("circle", { r: 9, class: "target" }),
        s("circle", { r: 3.2 }),
        beside && s("text", beside, name),
        s("title", {}, name),
      );
    });
    const label = t("weights.plane", { matrix: WRITTEN[state.view.matrix], across: names[0], up: names[1] ?? "–", n: tokens.length });
    const svg = s(
      "svg",
      { viewBox: `0 0 ${SIDE} ${SIDE}`, class: `chart axis-${axis}`, role: "img", tabindex: "0", "aria-label": label },
      s("line", { x1: 4, x2: SIDE - 4, y1: half, y2: half, class: "rule" }),
      s("line", { x1: half, x2: half, y1: 4, y2: SIDE - 4, class: "rule" }),
      dots,
      s("text", { x: SIDE - 5, y: SIDE - 5, "text-anchor": "end", class: "axis-name" }, `→ ${names[0]}`),
      names[1] && s("text", { x: 5, y: 12, class: "axis-name" }, `↑ ${names[1]}`),
      s("text", { x: SIDE - 4, y: half - 3, "text-anchor": "end", class: "scale" }, short(most, 2)),
    );
    svg.addEventListener("pointermove", (event) => {
      const dot = event.target instanceof Element ? event.target.closest("[data-at]") : null;
      point(axis, dot ? Number(dot.getAttribute("data-at")) : null);
    });
    svg.addEventListener("pointerleave", () => point(axis, null));
    svg.addEventListener("keydown", (event) => onKey(event, axis, tokens.length));
    svg.addEventListener("blur", () => point(axis, null));
    return svg;
  }

  /** @param {State} state @param {string[]} left @param {string[]} right */
  function sheet(state, left, right) {
    const [before, after] = /** @type {NonNullable<typeof now>} */ (now).sides;
    const rows = Math.max(before.tokens.length, after.tokens.length);
    const cells = (/** @type {number[][]} */ tokens, /** @type {number} */ at) =>
      left.map((_, axis) => h("td", {}, tokens[at] ? format(tokens[at][axis] ?? NaN, 3) : ""));
    const heads = [...left, ...right].map((name) => h("th", { scope: "col" }, name));
    return h(
      "div",
      { class: "sheet", tabindex: "0" },
      h(
        "table",
        {},
        h("thead", {}, h("tr", {}, h("td"), heads)),
        h(
          "tbody",
          {},
          Array.from({ length: rows }, (_, at) =>
            h("tr", {}, h("th", { scope: "row" }, nameOf(state, before.axis, at)), cells(before.tokens, at), cells(after.tokens, at)),
          ),
        ),
      ),
    );
  }

  /** @param {State} state */
  function light({ pointed }) {
    if (!now) return;
    const { sides, values } = now;
    for (const dot of planes.querySelectorAll(".token-dot")) {
      const axis = dot.closest(".axis-key") ? "key" : "query";
      dot.classList.toggle("met", pointed?.axis === axis && Number(dot.getAttribute("data-at")) === pointed.at);
    }
    const told = sides.map(({ axis, tokens }) => (pointed?.axis === axis ? tokens[pointed.at] : undefined));
    const written = (/** @type {number[]} */ place) => `(${place.map((each) => format(each, 2)).join(", ")})`;
    const found = told.flatMap((place) => (place ? [written(place)] : []));
    fill(
      reading,
      pointed && found.length
        ? `${nameOf(store.get(), pointed.axis, pointed.at)}: ${found.join(" → ")}`
        : t("weights.stretch", { sigmas: values.map((value, at) => `σ${"₁₂"[at]} = ${format(value, 3)}`).join(", ") }),
    );
  }

  return {
    /** @param {State} state @param {string} name @param {Directions} found */
    show(state, name, found) {
      const values = found.singular_values;
      const product = name === "w_qk";
      const reads = name === "w_q" || product ? "query" : "key";
      const last = product ? "key" : reads;
      now = {
        values,
        sides: [
          { axis: reads, tokens: found.tokens_left },
          { axis: last, tokens: found.tokens_right },
        ],
      };
      const left = values.map((_, at) => `x · u${"₁₂"[at]}`);
      const right = values.map((value, at) =>
        product ? `x · v${"₁₂"[at]}` : `v${"₁₂"[at]}, × σ${"₁₂"[at]} = ${short(value, 2)}`,
      );
      // Before and after share one scale, so that the stretch is seen, unless one of them would be
      // a point in it; queries and keys have their own.
      const [near, far] = [edgeOf(found.tokens_left), edgeOf(found.tokens_right)];
      const [most, least] = [Math.max(near, far), Math.min(near, far)];
      const edges = product || most > APART * least ? [near, far] : [most, most];
      fill(title, typeset(t("weights.where", { matrix: WRITTEN[name] })));
      const before = t(product ? "weights.queries" : "weights.before");
      const after = t(product ? "weights.keys" : "weights.after");
      fill(
        planes,
        state.view.table
          ? sheet(state, left, right)
          : [
              h("figure", {}, h("figcaption", {}, before), picture(state, reads, left, found.tokens_left, edges[0])),
              h("figure", {}, h("figcaption", {}, after), picture(state, last, right, found.tokens_right, edges[1])),
            ],
      );
      fill(note, t(product ? "weights.product_why" : "weights.where_why"));
      light(state);
    },
    light,
  };
}

import { point } from "../core/pointing.js";
import { dataTable } from "../lib/data-table.js";
import { fill, h } from "../lib/dom.js";
import { widest } from "../lib/fit.js";
import { SYMBOLS, typeset } from "../lib/notation.js";
import { short, format } from "../lib/numbers.js";
import { percent } from "../lib/percent.js";
import { placeAfter } from "../lib/step-keys.js";
import { s } from "../lib/svg.js";
import { nameOf } from "../matrix/names.js";
import { labelPlaces, isProduct, sidesOf, unseenSides } from "./directions.js";

const SIDE = 200;
const HALF = SIDE / 2;
const MARGIN = 20;
const FONT = "10px sans-serif";
const NAMED = 64; // tokens; with more, points have no labels

/** @param {Store} store @param {State} state @param {import("./directions.js").Side} side @param {string} label */
export function tokenPlane(store, state, { axis, names, tokens, edge }, label) {
  const place = (/** @type {number | null} */ value) => ((value ?? NaN) / edge) * (HALF - MARGIN);
  const points = tokens.map(([x, y = 0]) => [HALF + place(x), HALF - place(y)]);
  const words = tokens.map((_, at) => nameOf(state, axis, at));
  const svg = s(
    "svg",
    { viewBox: `0 0 ${SIDE} ${SIDE}`, class: `chart axis-${axis}`, role: "img", tabindex: "0", "aria-label": label },
    s("line", { x1: 4, x2: SIDE - 4, y1: HALF, y2: HALF, class: "rule" }),
    s("line", { x1: HALF, x2: HALF, y1: 4, y2: SIDE - 4, class: "rule" }),
    dots(points, words, widest([short(edge, 2)], FONT)),
    s("text", { x: SIDE - 5, y: SIDE - 5, "text-anchor": "end", class: "axis-name" }, `→ ${names[0]}`),
    names[1] && s("text", { x: 5, y: 12, class: "axis-name" }, `↑ ${names[1]}`),
    s("text", { x: SIDE - 4, y: HALF - 3, "text-anchor": "end", class: "scale" }, short(edge, 2)),
  );
  listen(svg, store, axis, tokens.length);
  return svg;
}

/** @param {number[][]} points @param {string[]} words @param {number} edge width of its number */
function dots(points, words, edge) {
  const widths = words.map((word) => widest([word], FONT));
  const number = [SIDE - 6 - edge, HALF - 12, SIDE, HALF - 1];
  const labels = points.length <= NAMED ? labelPlaces(points, widths, SIDE, [number]) : [];
  return points.map(([x, y], at) => {
    const beside = labels[at];
    return s(
      "g",
      { class: "token-dot", "data-at": at, transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})` },
      s("circle", { r: 9, class: "target" }),
      s("circle", { r: 3.2 }),
      beside && s("text", { ...beside }, words[at]),
      s("title", {}, words[at]),
    );
  });
}

/** @param {Element} svg @param {Store} store @param {Axis} axis @param {number} count */
function listen(svg, store, axis, count) {
  svg.addEventListener("pointermove", (event) => {
    const dot = event.target instanceof Element ? event.target.closest("[data-at]") : null;
    point(store, axis, dot ? Number(dot.getAttribute("data-at")) : null);
  });
  svg.addEventListener("pointerleave", () => point(store, axis, null));
  svg.addEventListener("keydown", (event) => onKey(/** @type {KeyboardEvent} */ (event), store, axis, count));
  svg.addEventListener("blur", () => point(store, axis, null));
}

/** @param {KeyboardEvent} event @param {Store} store @param {Axis} axis @param {number} count */
function onKey(event, store, axis, count) {
  const { pointed } = store.get();
  const from = pointed?.axis === axis ? pointed.at : null;
  const to = placeAfter(event, from ?? 0, count);
  if (to === null) return;
  event.preventDefault();
  event.stopPropagation();
  point(store, axis, from === null ? 0 : to);
}

/** @typedef {import("./directions.js").Side} Side */

export class TokenPlanes {
  /** @type {{sides: Side[], values: number[]} | null} */
  now = null;

  /** @param {HTMLElement} root @param {Store} store */
  constructor(root, store) {
    this.store = store;
    this.title = h("h3");
    this.planes = h("div", { class: "planes" });
    this.note = h("p", { class: "muted" });
    this.reading = h("p", { class: "reading", "aria-live": "polite" });
    this.lost = h("h3");
    this.more = h("div", { class: "planes more" });
    this.lostNote = h("p", { class: "muted" });
    fill(root, this.title, this.planes, this.reading, this.note, this.lost, this.more, this.lostNote);
  }

  /**
   * @param {State} state @param {string} matrix @param {Replies.Directions} found
   * @param {Replies.Principal | null} principal
   */
  show(state, matrix, found, principal) {
    const { t } = this.store;
    const sides = sidesOf(matrix, found);
    this.now = { sides, values: found.singular_values };
    fill(this.title, typeset(t("parameters.where", { matrix: SYMBOLS[matrix] })));
    fill(this.planes, state.view.table ? sheet(state, sides) : this.pictures(state, sides, isProduct(matrix)));
    fill(this.note, t(isProduct(matrix) ? "parameters.product_why" : "parameters.where_why"));
    this.showUnseen(state, matrix, found, principal);
    this.light(state);
  }

  /**
   * @param {State} state @param {string} matrix @param {Replies.Directions} found
   * @param {Replies.Principal | null} principal
   */
  showUnseen(state, matrix, found, principal) {
    const { t } = this.store;
    const parts = unseenSides(matrix, found, principal);
    const { dimensions = 0, share = 0 } = found.unseen ?? {};
    for (const each of [this.lost, this.more, this.lostNote]) each.hidden = !parts.length;
    fill(this.lost, typeset(t("parameters.lost", { matrix: SYMBOLS[matrix] })));
    this.more.replaceChildren(...parts.map(({ title, side }) => this.picture(state, side, t(`parameters.${title}`))));
    const note = dimensions ? "parameters.lost_why" : "parameters.lost_none";
    fill(this.lostNote, t(note, { dimensions, share: percent(share) }));
  }

  /** @param {State} state @param {Side[]} sides @param {boolean} product */
  pictures(state, sides, product) {
    const { t } = this.store;
    const titles = product ? ["queries", "keys"] : ["before", "after"];
    return sides.map((side, at) => this.picture(state, side, t(`parameters.${titles[at]}`)));
  }

  /** @param {State} state @param {Side} side @param {string} title */
  picture(state, side, title) {
    const label = this.store.t("parameters.plane", {
      matrix: SYMBOLS[state.view.matrix],
      across: side.names[0],
      up: side.names[1] ?? "–",
      n: side.tokens.length,
    });
    return h("figure", {}, h("figcaption", {}, title), tokenPlane(this.store, state, side, label));
  }

  /** @param {State} state */
  light({ pointed }) {
    if (!this.now) return;
    const dots = [this.planes, this.more].flatMap((room) => [...room.querySelectorAll(".token-dot")]);
    for (const dot of dots) {
      const axis = dot.closest(".axis-key") ? "key" : "query";
      dot.classList.toggle("met", pointed?.axis === axis && Number(dot.getAttribute("data-at")) === pointed.at);
    }
    fill(this.reading, this.read(pointed, this.now));
  }

  /** @param {State["pointed"]} pointed @param {NonNullable<TokenPlanes["now"]>} now */
  read(pointed, { sides, values }) {
    const places = sides.map(({ axis, tokens }) => (pointed?.axis === axis ? tokens[pointed.at] : undefined));
    const found = places.flatMap((place) => (place ? [coordinatesText(place)] : []));
    if (pointed && found.length) return `${nameOf(this.store.get(), pointed.axis, pointed.at)}: ${found.join(" → ")}`;
    const sigmas = values.map((value, at) => `σ${"₁₂"[at]} = ${format(value, 3)}`).join(", ");
    return this.store.t("parameters.stretch", { sigmas });
  }
}

/** @param {number[]} place */
const coordinatesText = (place) => `(${place.map((each) => format(each, 2)).join(", ")})`;

/** @param {State} state @param {Side[]} sides */
function sheet(state, [before, after]) {
  const rows = Math.max(before.tokens.length, after.tokens.length);
  const cells = (/** @type {Side} */ { names, tokens }, /** @type {number} */ at) =>
    names.map((_, axis) => (tokens[at] ? format(tokens[at][axis] ?? NaN, 3) : ""));
  const body = Array.from({ length: rows }, (_, at) => ({
    name: nameOf(state, before.axis, at),
    cells: [...cells(before, at), ...cells(after, at)],
  }));
  const table = dataTable({ columns: [[null, ...before.names, ...after.names]], bodies: [body] });
  return h("div", { class: "sheet", tabindex: "0" }, table);
}

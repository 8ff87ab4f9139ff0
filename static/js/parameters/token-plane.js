import { point } from "../core/pointing.js";
import { widest } from "../lib/fit.js";
import { placeAfter } from "../lib/grid-keys.js";
import { short } from "../lib/numbers.js";
import { s } from "../lib/svg.js";
import { nameOf } from "../matrix/names.js";
import { labelPlaces } from "./directions.js";

const SIDE = 200;
const HALF = SIDE / 2;
const MARGIN = 20;
const FONT = "10px sans-serif";
const NAMED = 64; // tokens; with more, only the hovered token is named

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
    dots(points, words),
    s("text", { x: SIDE - 5, y: SIDE - 5, "text-anchor": "end", class: "axis-name" }, `→ ${names[0]}`),
    names[1] && s("text", { x: 5, y: 12, class: "axis-name" }, `↑ ${names[1]}`),
    s("text", { x: SIDE - 4, y: HALF - 3, "text-anchor": "end", class: "scale" }, short(edge, 2)),
  );
  listen(svg, store, axis, tokens.length);
  return svg;
}

/** @param {number[][]} points @param {string[]} words */
function dots(points, words) {
  const widths = words.map((word) => widest([word], FONT));
  const labels = points.length <= NAMED ? labelPlaces(points, widths, SIDE) : [];
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

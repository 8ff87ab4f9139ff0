/** Bars of a row's weights at another scale. Ticks mark the present weights. */

import { h } from "../lib/dom.js";
import { largest } from "../lib/largest.js";
import { format } from "../lib/numbers.js";
import { nameOf } from "../matrix/names.js";
import { selectedRow, weightsAt } from "./scaling-measures.js";

const SHOWN = 16; // more bars would hide the shape

/** @param {Store} store @param {State} state @param {number} factor @param {string} times `factor` as text */
export function rescaledBars({ page, t }, state, factor, times) {
  const query = selectedRow(page, state);
  const [now, then] = [1, factor].map((each) => weightsAt(page, state, query, each));
  const pairs = then.map((each, at) => ({ ...each, before: now[at].weight }));
  const lines = largest(pairs, SHOWN, ({ before }) => before).map((pair) => line(state, pair));
  return [
    h("h3", {}, t("lab.row", { query: nameOf(state, "query", query), factor: times })),
    h("ol", {}, lines),
    pairs.length === 0 && h("p", { class: "muted" }, t("lab.nothing")),
    pairs.length > SHOWN && h("p", { class: "muted" }, t("row.largest", { n: SHOWN, all: pairs.length })),
  ];
}

/** @param {State} state @param {{col: number, weight: number, before: number}} pair */
function line(state, { col, weight, before }) {
  const [bar, tick] = [h("i", { class: "share" }), h("i", { class: "was" })];
  bar.style.width = `${100 * weight}%`;
  tick.style.left = `${100 * before}%`;
  const name = nameOf(state, "key", col);
  return h(
    "li",
    {},
    h("span", { class: "token", title: name }, name),
    h("span", { class: "track" }, bar, tick),
    h("span", { class: "number", translate: "no" }, format(weight, state.view.precision)),
  );
}

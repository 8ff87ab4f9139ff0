/** The softmax of one row in one precision, step by step: naively, and with its maximum taken away first. */

import { h } from "../lib/dom.js";
import { largest } from "../lib/largest.js";
import { format } from "../lib/numbers.js";
import { nameOf } from "../matrix/names.js";
import { scoresOf } from "./scaling-measures.js";

/** @typedef {import("../core/state.js").State} State */
/** @typedef {import("../core/state.js").Store} Store */
/** @typedef {import("./rounding-measures.js").Softmax} Softmax */

const SHOWN = 16; // keys of a row

/**
 * @param {Store} store
 * @param {State} state
 * @param {number} row
 * @param {{naive: Softmax, stable: Softmax}} ways
 */
export function softmaxTable({ page, t }, state, row, { naive, stable }) {
  const { precision } = state.view;
  const all = scoresOf(page, state, row);
  const lines = largest(all, SHOWN, ({ masked }) => masked).map(({ col, masked }) =>
    h(
      "tr",
      { class: masked === -Infinity ? "shut" : "" },
      h("th", { scope: "row" }, nameOf(state, "key", col)),
      h("td", {}, format(masked, precision)),
      numbers(naive, col, precision),
      numbers(stable, col, precision),
    ),
  );
  return [
    h("table", {}, head(t), h("tbody", {}, lines)),
    all.length > SHOWN && h("p", { class: "muted" }, t("row.largest", { n: SHOWN, all: all.length })),
  ];
}

/** @param {Store["t"]} t */
function head(t) {
  const steps = [column("exp s"), column("a"), column("exp(s − max)"), column("a")];
  return h(
    "thead",
    {},
    h("tr", {}, h("td"), h("td"), column(t("lab.naive"), 2), column(t("lab.stable"), 2)),
    h("tr", {}, column(t("axis.key")), column("s"), steps),
  );
}

/** @param {string} name @param {number} [span] */
const column = (name, span) => h("th", { scope: span ? "colgroup" : "col", colspan: span }, name);

/** A null exponential is infinite, a null weight no number. @param {Softmax} way @param {number} col @param {number} precision */
function numbers({ exponentials, weights }, col, precision) {
  const cell = (/** @type {number | null} */ value, /** @type {string} */ otherwise) =>
    h("td", { class: value === null ? "bad" : "" }, value === null ? otherwise : format(value, precision));
  return [cell(exponentials[col], "∞"), cell(weights[col], "NaN")];
}

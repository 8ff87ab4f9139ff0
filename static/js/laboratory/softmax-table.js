import { dataTable } from "../lib/data-table.js";
import { h } from "../lib/dom.js";
import { largest } from "../lib/largest.js";
import { format } from "../lib/numbers.js";
import { nameOf } from "../matrix/names.js";
import { scoresOf } from "./scaling-measures.js";

/** @typedef {import("./rounding-measures.js").Softmax} Softmax */

const SHOWN = 16;
const STEPS = ["exp s", "a", "exp(s − max)", "a"];

/** @param {Store} store @param {State} state @param {number} row @param {{naive: Softmax, stable: Softmax}} ways */
export function softmaxTable({ page, t }, state, row, { naive, stable }) {
  const { precision } = state.view;
  const all = scoresOf(page, state, row);
  const rows = largest(all, SHOWN, ({ masked }) => masked).map(({ col, masked }) => ({
    class: masked === -Infinity ? "shut" : "",
    name: nameOf(state, "key", col),
    cells: [format(masked, precision), ...numbers(naive, col, precision), ...numbers(stable, col, precision)],
  }));
  const ways = [null, null, { name: t("lab.naive"), span: 2 }, { name: t("lab.stable"), span: 2 }];
  return [
    dataTable({ columns: [ways, [t("axis.key"), "s", ...STEPS]], bodies: [rows] }),
    all.length > SHOWN && h("p", { class: "muted" }, t("row.largest", { n: SHOWN, all: all.length })),
  ];
}

/** @param {Softmax} way @param {number} col @param {number} precision */
function numbers({ exponentials, weights }, col, precision) {
  const cell = (/** @type {number | null} */ value, /** @type {string} */ otherwise) =>
    h("td", { class: value === null ? "bad" : "" }, value === null ? otherwise : format(value, precision));
  return [cell(exponentials[col], "∞"), cell(weights[col], "NaN")];
}

import { dataTable } from "../lib/data-table.js";
import { h } from "../lib/dom.js";
import { largest } from "../lib/largest.js";
import { format, power } from "../lib/numbers.js";
import { s } from "../lib/svg.js";
import { labelOf, nameOf } from "../matrix/names.js";
import { selectedRow, scoresOf } from "./scaling-measures.js";

/**
 * @typedef {{overflowed: number, nan_rows: number, largest_error: number | null, weights: (number | null)[],
 * exponentials: (number | null)[]}} Softmax null: an infinite exponential, or NaN
 */
/** @typedef {{dtype: string, stages: {stage: string, largest: number | null, non_finite: number}[], softmax: {naive: Softmax, stable: Softmax}}} Rounded */
/** @typedef {{row: number, dtypes: Rounded[]}} Precision */

const [LEAST, MOST] = [-18, 0]; // powers of ten at the ends of a bar
export const TICKS = [1e-18, 1e-9, 1];
const BEYOND = 800; // exp(800) overflows float64, exp(−800) underflows

/** Length of an error's bar, from 0 to 1. @param {number | null} error null if infinite */
export function reachOf(error) {
  if (error === null) return 1;
  if (error === 0) return 0;
  return Math.min(1, Math.max(0, (Math.log10(error) - LEAST) / (MOST - LEAST)));
}

/**
 * Scale at which exp of the row's largest score over- or underflows in every precision.
 * @param {Page} page @param {State} state
 */
export function breakingScale(page, state) {
  const { temperature = 1 } = state.answer?.reply ?? {};
  const open = scoresOf(page, state, selectedRow(page, state)).filter(({ masked }) => masked !== -Infinity);
  const top = Math.abs(Math.max(...open.map(({ score }) => score)));
  const wanted = Math.min(1e6, Math.max(1, (BEYOND * temperature) / top || 1));
  const power = 10 ** Math.floor(Math.log10(wanted));
  return Math.ceil(wanted / power) * power;
}

/** @param {Precision | null} found */
export function isBroken(found) {
  return Boolean(found?.dtypes.every(({ softmax }) => softmax.naive.weights.includes(null)));
}

/** @param {Store} store @param {Precision} reply @param {string} chosen */
export function errorTable(store, { dtypes }, chosen) {
  const { t } = store;
  const cells = (/** @type {(each: Rounded) => HTMLElement} */ cell) =>
    dtypes.map((each) => {
      const drawn = cell(each);
      drawn.classList.toggle("chosen", each.dtype === chosen);
      return drawn;
    });
  const stages = dtypes[0].stages.map(({ stage }, at) => ({
    name: labelOf(store, stage),
    cells: cells(({ stages }) => errorCell(store, stages[at].largest, stages[at].non_finite, "lab.non_finite")),
  }));
  const ways = /** @type {const} */ (["naive", "stable"]).map((way) => ({
    class: "way",
    name: t(way === "naive" ? "lab.naive" : "lab.stable"),
    cells: cells(({ softmax: { [way]: found } }) =>
      errorCell(store, found.largest_error, found.overflowed, "lab.overflows"),
    ),
  }));
  return dataTable({ columns: head(dtypes), bodies: [stages, ways] });
}

/** @param {Rounded[]} dtypes */
function head(dtypes) {
  const axes = dtypes.map(() => h("td", {}, axis()));
  return [
    [null, ...dtypes.map(({ dtype }) => dtype)],
    { class: "powers", "aria-hidden": /** @type {const} */ ("true"), heads: [null, ...axes] },
  ];
}

/**
 * @param {Store} store @param {number | null} error @param {number} bad number of overflows or non-finite cells
 * @param {string} key
 */
function errorCell({ t }, error, bad, key) {
  const bar = h("i");
  bar.style.width = `${100 * reachOf(error)}%`;
  return h(
    "td",
    { class: error === null ? "bad" : "" },
    h("span", {}, error === null ? "∞" : errorText(error)),
    h("span", { class: "reach" }, bar),
    bad > 0 && h("small", {}, t(key, { n: bad })),
  );
}

function axis() {
  const place = (/** @type {number} */ at) => ["start", "middle", "end"][at];
  const names = TICKS.map((tick, at) =>
    s("text", { x: `${100 * reachOf(tick)}%`, y: 9, "text-anchor": place(at) }, tick === 1 ? "1" : power(tick)),
  );
  return s("svg", { width: "100%", height: 11 }, names);
}

/** @param {number | null} error */
export const errorText = (error) => (error === null ? "NaN" : error === 0 ? "0" : format(error, error < 0.05 ? 1 : 2));

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

import { dataTable } from "../lib/data-table.js";
import { h } from "../lib/dom.js";
import { format, power } from "../lib/numbers.js";
import { s } from "../lib/svg.js";
import { labelOf } from "../matrix/names.js";
import { TICKS, reachOf } from "./rounding-measures.js";

/** @typedef {import("./rounding-measures.js").Rounded} Rounded */

/** @param {Store} store @param {import("./rounding-measures.js").Precision} reply @param {string} chosen */
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
 * @param {Store} store @param {number | null} error @param {number} bad number of cells that are not finite
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

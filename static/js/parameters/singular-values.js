import { ticks } from "../lib/axis-ticks.js";
import { dataTable } from "../lib/data-table.js";
import { h } from "../lib/dom.js";
import { format, short } from "../lib/numbers.js";
import { s } from "../lib/svg.js";

const [WIDE, HIGH, LEFT, BELOW] = [290, 150, 34, 24]; // px
const MOST = 512; // bars; with more values, only every n-th is drawn
const ROWS = 64;

/** @param {Pick<Store, "t">} store @param {Replies.Spectrum} spectrum @param {boolean} table */
export function singularValues(store, spectrum, table) {
  return table ? sheet(store, spectrum) : drawing(store, spectrum);
}

/** @param {Pick<Store, "t">} store @param {Replies.Spectrum} spectrum */
function drawing({ t }, { singular_values: values, rank }) {
  const most = values[0] || 1;
  const [width, height] = [WIDE - LEFT - 6, HIGH - BELOW - 8];
  const y = (/** @type {number} */ value) => 8 + height * (1 - value / most);
  const step = Math.ceil(values.length / MOST);
  const pitch = width / values.length;
  const bar = (/** @type {number} */ value, /** @type {number} */ at) =>
    s("rect", {
      x: (LEFT + at * pitch).toFixed(2),
      y: y(value).toFixed(2),
      width: Math.max(0.4, step * pitch * 0.82).toFixed(2),
      height: Math.max(value > 0 ? 0.8 : 0, 8 + height - y(value)).toFixed(2),
      class: at < rank ? "bar-value" : "bar-nothing",
    });
  const shown = values.flatMap((value, at) => (at % step ? [] : [bar(value, at)]));
  const lines = ticks(most, 4).map((value) => [
    s("line", { x1: LEFT, x2: WIDE - 6, y1: y(value), y2: y(value), class: "rule" }),
    s("text", { x: LEFT - 5, y: y(value) + 3.5, "text-anchor": "end" }, short(value, 3)),
  ]);
  const label = t("parameters.bars", { n: values.length, largest: format(values[0], 3), rank });
  return s(
    "svg",
    { viewBox: `0 0 ${WIDE} ${HIGH}`, class: "chart", role: "img", "aria-label": label },
    lines.flat(),
    shown,
    s("text", { x: LEFT, y: HIGH - 8 }, "1"),
    s("text", { x: WIDE - 6, y: HIGH - 8, "text-anchor": "end" }, String(values.length)),
    s("text", { x: LEFT + width / 2, y: HIGH - 8, "text-anchor": "middle" }, t("parameters.index")),
    s("text", { x: 3, y: 14, class: "axis-name" }, "σ"),
  );
}

/** @param {Pick<Store, "t">} store @param {Replies.Spectrum} spectrum */
function sheet({ t }, { singular_values: values }) {
  const rows = values.slice(0, ROWS).map((value, at) => ({ name: at + 1, cells: [format(value, 6)] }));
  const table = dataTable({ columns: [[t("parameters.index"), "σ"]], bodies: [rows] });
  const more =
    values.length > ROWS && h("p", { class: "muted" }, t("parameters.first", { n: ROWS, all: values.length }));
  return h("div", { class: "sheet", tabindex: "0" }, table, more);
}

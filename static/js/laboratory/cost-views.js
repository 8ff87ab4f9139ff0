import { formatBytes } from "../lib/bytes.js";
import { lineChart } from "../lib/chart.js";
import { dataTable } from "../lib/data-table.js";
import { logarithmicAxis } from "../lib/axis-ticks.js";
import { fill, h } from "../lib/dom.js";
import { format, power } from "../lib/numbers.js";
import { labelOf } from "../matrix/names.js";

/** @typedef {import("./cost-measures.js").Length} Length */

const CHART_HEIGHT = 200;
const TICKS = [1, 16, 256, 4096, 65536];

/** @param {number} value */
export const formatCount = (value) => (value < 1e6 ? value.toLocaleString("en") : format(value, 2));

export class CostChart {
  /** @type {{lengths: Length[], at: number} | null} */
  data = null;

  /** @param {HTMLElement} root @param {Store} store @param {Exclude<keyof Length, "n">[]} lines */
  constructor(root, store, lines) {
    this.store = store;
    this.lines = lines;
    this.values = h("p", { class: "values" });
    this.plot = h("div", { class: "plot-of" });
    root.append(this.values, this.plot);
    this.resized = new ResizeObserver(() => this.draw());
    this.resized.observe(this.plot);
  }

  /** @param {Length[]} lengths @param {number} at */
  show(lengths, at) {
    this.data = { lengths, at };
    this.draw();
  }

  draw() {
    if (!this.data) return;
    const { lengths, at } = this.data;
    const { t } = this.store;
    const read = this.lines.map((name) => ({ name, label: t(`costs.${name}`), value: formatCount(lengths[at][name]) }));
    const words = read.map(({ name, label, value }) => h("span", { class: name }, `${label} `, h("b", {}, value)));
    fill(this.values, words);
    if (!this.plot.clientWidth) return;
    const every = lengths.flatMap((length) => this.lines.map((name) => length[name]));
    const here = `${t("costs.n")} ${formatCount(lengths[at].n)}`;
    const chart = {
      label: `${t("costs.multiplications")}, ${here}: ${read.map(({ label, value }) => `${label} ${value}`).join(", ")}`,
      across: t("costs.n"),
      places: lengths.map(({ n }) => n),
      x: { low: 1, high: lengths[lengths.length - 1].n, log: true, ticks: TICKS, text: formatCount },
      y: { ...logarithmicAxis(every), text: power },
      lines: this.lines.map((name) => ({ name, points: lengths.map((length) => length[name]) })),
      marks: [],
      level: null,
      at,
    };
    this.plot.replaceChildren(lineChart(chart, this.plot.clientWidth, CHART_HEIGHT));
  }

  destroy() {
    this.resized.disconnect();
  }
}

/** @import {Cost, Counted} from "./cost-measures.js" */

const OPERATIONS = ["multiplications", "additions", "exponentials", "read", "written"];

/** @param {Cost} cost */
const cellsOf = ({ multiplications, additions, exponentials, read_bytes, written_bytes }) => [
  ...[multiplications, additions, exponentials].map(formatCount),
  ...[read_bytes, written_bytes].map(formatBytes),
];

/** @param {Store} store @param {Counted} found */
export function stageTable(store, { stages, total, projections, generation }) {
  const { t } = store;
  const row = (/** @type {string} */ name, /** @type {Cost} */ cost) => ({ name: t(name), cells: cellsOf(cost) });
  const rows = stages.map((each) => ({ name: labelOf(store, each.stage), cells: cellsOf(each) }));
  const all = [{ ...row("costs.total", total), class: "total" }];
  const products = [row("costs.three", projections.three), row("costs.fused", projections.fused)];
  const tokens = [row("costs.without_cache", generation.without_cache), row("costs.with_cache", generation.with_cache)];
  const heads = [t("figures.stage"), ...OPERATIONS.map((name) => t(`costs.${name}`))];
  return dataTable({ columns: [heads], bodies: [[...rows, ...all], products, tokens] });
}

/** @param {Store} store @param {{softmax: Cost, linear: Cost}} costs */
export function compareTable({ t }, { softmax, linear }) {
  const rows = [
    { name: t("costs.softmax_of"), cells: cellsOf(softmax) },
    { name: t("costs.linear_of"), cells: cellsOf(linear) },
  ];
  return dataTable({ columns: [[t("costs.way"), ...OPERATIONS.map((name) => t(`costs.${name}`))]], bodies: [rows] });
}

/** @param {Store} store @param {Counted} found */
export function kindTable({ t }, { layers }) {
  const heads = ["kind", "order", "sequential", "path", "multiplications"].map((name) => t(`costs.${name}`));
  const rows = layers.map(({ name, order, sequential, path, multiplications }) => ({
    name: t(`costs.kind.${name}`),
    cells: [order, sequential, path, multiplications].map(formatCount),
  }));
  return dataTable({ columns: [heads], bodies: [rows] });
}

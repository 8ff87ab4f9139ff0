import { formatBytes } from "../lib/bytes.js";
import { dataTable } from "../lib/data-table.js";
import { labelOf } from "../matrix/names.js";
import { formatCount } from "./cost-chart.js";

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

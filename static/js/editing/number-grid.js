/** A tensor as a table of inputs; focus pins the cell. */

import { togglePin } from "../core/pointing.js";
import { setNumber } from "./apply-edit.js";
import { sides, stageOf } from "../core/page.js";
import { dataTable } from "../lib/data-table.js";
import { fill } from "../lib/dom.js";
import { cellAfter } from "../lib/step-keys.js";
import { numberInput } from "./number-input.js";
import { undo } from "./undo.js";
import { nameOf } from "../matrix/names.js";

const DECIMALS = 4; // so that sixteen columns fit

/**
 * @param {HTMLElement} box @param {import("./apply-edit.js").Bench} bench @param {string} tensor @param {number[][]} rows
 * @param {boolean} disabled
 */
export function numbers(box, bench, tensor, rows, disabled) {
  const { store } = bench;
  const axes = sides(stageOf(store.page, tensor));
  const name = (/** @type {string} */ axis, /** @type {number} */ at) => nameOf(store.get(), axis, at);
  const cells = rows.map((values, row) => values.map((_, col) => cellAt(row, col)));

  /** @param {number} row @param {number} col */
  function cellAt(row, col) {
    const named = [tensor, name(axes.rows, row), name(axes.cols, col)].filter(Boolean).join(" · ");
    const set = (/** @type {number} */ value, /** @type {How} */ how) =>
      setNumber(bench, { tensor, batch: store.get().view.batch, row, col }, value, how);
    const cell = numberInput({ "aria-label": named, disabled }, set, () => undo(bench.store), DECIMALS);
    cell.input.addEventListener("keydown", (event) => onKey(event, row, col));
    cell.input.addEventListener("focus", () => explain(row, col));
    return cell;
  }

  /** @param {KeyboardEvent} event @param {number} row @param {number} col */
  function onKey(event, row, col) {
    const { key, ctrlKey, metaKey, altKey } = event;
    const walked = { key: key === "Enter" ? "ArrowDown" : key, ctrlKey, metaKey, altKey };
    const to = cellAfter(walked, { row, col }, { rows: cells.length, cols: cells[row].length });
    const { value, selectionStart, selectionEnd } = cells[row][col].input;
    // Arrows move the caret, unless all text is selected.
    const inside = to && to.row === row && !(selectionStart === 0 && selectionEnd === value.length);
    if (!to || inside) return;
    event.preventDefault();
    cells[to.row][to.col].input.focus();
  }

  /** @param {number} row @param {number} col */
  function explain(row, col) {
    const { cell } = store.get().view;
    if (cell?.stage !== tensor || cell.row !== row || cell.col !== col) togglePin(store, { stage: tensor, row, col });
  }

  /** @param {string} axis @param {number} at */
  const short = (axis, at) => (axis === "query" ? name(axis, at) : axis === "none" ? "" : at);
  const columns = [null, ...rows[0].map((_, col) => short(axes.cols, col))];
  const body = cells.map((row, at) => ({ name: short(axes.rows, at), cells: row.map(({ input }) => input) }));
  fill(box, dataTable({ columns: [columns], bodies: [body] }));
  return {
    /** @param {number[][]} next */
    show: (next) => next.forEach((values, row) => values.forEach((value, col) => cells[row][col].show(value))),
    update() {},
    destroy: () => fill(box),
  };
}

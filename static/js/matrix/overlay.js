/** What lies over a heatmap: lit rows, columns and cells, the pinned cell, and the readout. */

import { colorOf, sides } from "../core/page.js";
import { upstream } from "../core/upstream.js";
import { h } from "../lib/dom.js";
import { placeOf, written } from "./names.js";

/** @typedef {import("../core/state.js").State} State */
/** @typedef {import("../core/state.js").Store} Store */
/** @typedef {import("../core/page.js").Stage} Stage */
/** @typedef {import("../core/upstream.js").Region} Region */
/** @typedef {{row: number, col: number}} At */

const GAP = 6; // CSS pixels between a cell and its readout

let count = 0; // of overlays: each has a cursor with an id of its own

export class Overlay {
  /** @param {HTMLElement} plot @param {Store} store @param {Stage} stage */
  constructor(plot, store, stage) {
    this.plot = plot;
    this.store = store;
    this.stage = stage;
    this.box = h("div", { class: "overlay", "aria-hidden": "true" });
    this.pinned = h("div", { class: "pinned", hidden: true });
    this.readout = h("div", { class: "readout", hidden: true });
    this.cursor = h("div", { role: "gridcell", class: "cursor", id: `cell-${++count}` });
    this.cursorRow = h("div", { role: "row" }, this.cursor);
    this.size = { rows: 1, cols: 1, cellWidth: 1, cellHeight: 1, width: 1, height: 1 };
    /** @type {HTMLElement[]} */
    this.pool = [];
    plot.append(this.box, this.cursorRow);
    plot.setAttribute("aria-activedescendant", this.cursor.id);
    this.box.append(this.pinned, this.readout);
  }

  /** @param {{rows: number, cols: number}} picture @param {import("../lib/fit.js").Fit} cells */
  resize({ rows, cols }, cells) {
    this.size = { rows, cols, ...cells };
  }

  /**
   * @param {State} state
   * @param {(at: At) => number | null} valueAt
   * @returns {{rows: Set<number>, cols: Set<number>}} which labels are lit
   */
  update(state, valueAt) {
    const active = state.hover ?? state.view.cell;
    const regions = active ? this.regions(state, active) : [];
    this.show(regions);
    this.showPinned(state.view.cell);
    this.showCell(state, valueAt);
    const lit = { rows: new Set(), cols: new Set() };
    for (const { row, col } of regions) {
      if (row !== null) lit.rows.add(row);
      if (col !== null) lit.cols.add(col);
    }
    return lit;
  }

  /**
   * The regions of this stage that a cell stands on: its own row and column, or what it came from.
   * @param {State} state
   * @param {import("../core/address/address.js").Cell} cell
   * @returns {Region[]}
   */
  regions(state, cell) {
    const { name } = this.stage;
    if (cell.stage === name) {
      const { row, col } = cell;
      return [
        { stage: name, row, col: null },
        { stage: name, row: null, col },
        { stage: name, row, col },
      ];
    }
    const reply = state.answer?.reply;
    const of = { head: state.view.head, d_v: reply?.shape.d_v ?? 1, cross: Boolean(reply?.context_lengths) };
    return upstream(this.store.page, cell, of).filter((region) => region.stage === name);
  }

  /** @param {Region[]} regions */
  show(regions) {
    while (this.pool.length < regions.length) {
      const mark = h("div", { class: "lit" });
      this.pool.push(mark);
      this.box.prepend(mark);
    }
    this.pool.forEach((mark, index) => {
      const region = regions[index];
      mark.hidden = !region;
      if (!region) return;
      const { rows, cols } = sides(this.stage);
      const axis = region.row === null ? cols : (region.axis ?? rows);
      const cell = region.row !== null && region.col !== null;
      mark.className = cell ? "lit cell" : `lit axis-${colorOf(axis)}`;
      this.frame(mark, region);
    });
  }

  /** @param {HTMLElement} mark @param {{row: number | null, col: number | null}} region */
  frame(mark, { row, col }) {
    const { cellWidth, cellHeight, width, height } = this.size;
    mark.style.left = `${col === null ? 0 : col * cellWidth}px`;
    mark.style.top = `${row === null ? 0 : row * cellHeight}px`;
    mark.style.width = `${col === null ? width : cellWidth}px`;
    mark.style.height = `${row === null ? height : cellHeight}px`;
  }

  /** @param {import("../core/address/address.js").Cell | null} cell */
  showPinned(cell) {
    const here = cell?.stage === this.stage.name && cell.row < this.size.rows && cell.col < this.size.cols;
    this.pinned.hidden = !here;
    if (here) this.frame(this.pinned, cell);
  }

  /** @param {State} state @param {(at: At) => number | null} valueAt */
  showCell(state, valueAt) {
    const { hover } = state;
    const here = hover?.stage === this.stage.name && hover.row < this.size.rows && hover.col < this.size.cols;
    this.readout.hidden = !here;
    if (!here) return;
    const value = written(this.store, this.stage, valueAt(hover), state.view.precision);
    const place = placeOf(this.store, state, hover);
    this.readout.replaceChildren(h("b", {}, value), h("span", {}, place));
    this.cursor.setAttribute("aria-label", `${place}: ${value}`);
    this.cursorRow.setAttribute("aria-rowindex", String(hover.row + 1));
    this.cursor.setAttribute("aria-colindex", String(hover.col + 1));
    this.placeReadout(hover);
  }

  /** @param {At} at */
  placeReadout({ row, col }) {
    const { cellWidth, cellHeight } = this.size;
    const box = this.plot.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = this.readout; // as wide as the reader's font
    const [before, after] = [box.left + col * cellWidth, box.left + (col + 1) * cellWidth];
    const most = document.documentElement.clientWidth - width - GAP;
    const left = after + GAP > most && before - width - GAP >= 0;
    const below = box.top + row * cellHeight - height - GAP < 0;
    this.readout.classList.toggle("left", left);
    this.readout.classList.toggle("below", below);
    // With room on neither side it covers the cell's neighbours, and stays in the window.
    const at = left ? before : Math.max(0, Math.min(after, most - GAP));
    this.readout.style.left = `${at - box.left}px`;
    this.readout.style.top = `${(row + (below ? 1 : 0)) * cellHeight}px`;
  }
}

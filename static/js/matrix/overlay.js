/** Elements over a picture; `cell-input.js` updates readout and highlights. */

import { h } from "../lib/dom.js";

let count = 0; // for unique ids

export class Overlay {
  /** @param {HTMLElement} plot @param {Stage} stage */
  constructor(plot, stage) {
    this.stage = stage;
    this.box = h("div", { class: "overlay", "aria-hidden": "true" });
    this.pinned = h("div", { class: "pinned", hidden: true });
    this.readout = h("div", { class: "readout", hidden: true });
    this.cursor = h("div", { role: "gridcell", class: "cursor", id: `cell-${++count}` });
    this.cursorRow = h("div", { role: "row" }, this.cursor);
    this.size = { rows: 1, cols: 1, cellWidth: 1, cellHeight: 1, width: 1, height: 1 };
    plot.append(this.box);
    this.box.append(this.pinned, this.readout);
  }

  /** @param {Size} picture @param {import("../lib/fit.js").Fit} cells */
  resize({ rows, cols }, cells) {
    this.size = { rows, cols, ...cells };
  }

  /** @param {HTMLElement} mark @param {{row: number | null, col: number | null}} region */
  frame(mark, { row, col }) {
    const { cellWidth, cellHeight, width, height } = this.size;
    mark.style.left = `${col === null ? 0 : col * cellWidth}px`;
    mark.style.top = `${row === null ? 0 : row * cellHeight}px`;
    mark.style.width = `${col === null ? width : cellWidth}px`;
    mark.style.height = `${row === null ? height : cellHeight}px`;
  }

  /** @param {Cell | null} cell */
  showPinned(cell) {
    const here = cell?.stage === this.stage.name && cell.row < this.size.rows && cell.col < this.size.cols;
    this.pinned.hidden = !here;
    if (here) this.frame(this.pinned, cell);
  }
}

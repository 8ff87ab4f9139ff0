import { togglePin, unpin } from "../core/pointing.js";
import { colorOf, isMap, sides } from "../core/page.js";
import { pictureOf } from "../core/picture.js";
import { selection } from "../core/state.js";
import { upstream } from "../core/upstream.js";
import { cellsOfPieces } from "../core/word-pieces.js";
import { h } from "../lib/dom.js";
import { cellAfter, isShortcut } from "../lib/step-keys.js";
import { MOST, cellTexts, sharedDecimals } from "./cell-numbers.js";
import { placeOf } from "./cell-text.js";
import { cellUnder } from "./pointer.js";
import { readCell } from "./read-cell.js";
import { readoutPlace } from "./readout-place.js";

/** @typedef {import("./heatmap.js").Heatmap} Heatmap */

const MARGIN = 10; // px from the picture to the card's edge

/** @param {Heatmap} plate */
export const createInput = (plate) => new CellInput(plate);

class CellInput {
  /** @param {Heatmap} plate */
  constructor(plate) {
    this.plate = plate;
    this.overlay = plate.overlay;
    /** @type {HTMLElement[]} */
    this.pool = [];
    this.request = 0;
    this.listen();
  }

  listen() {
    const { plate } = this;
    const { plot } = plate;
    plot.addEventListener("pointermove", (event) => plate.hover(this.cellAt(event)));
    plot.addEventListener("pointerleave", () => plate.hover(null));
    plot.addEventListener("click", (event) => {
      const cell = this.cellAt(event);
      if (cell) this.pin(cell);
    });
    plot.addEventListener("keydown", (event) => this.onKey(event));
    plot.addEventListener("focus", () => {
      if (plot.matches(":focus-visible")) plate.hover({ ...this.start(), keys: true });
    });
    plot.addEventListener("blur", () => plate.hover(null));
  }

  /** @param {import("./heatmap.js").Ink} ink */
  write(ink) {
    const { texts, size } = this.plate;
    const { picture, cells } = ink;
    const maps = picture.rows * picture.cols > MOST ? [] : this.mapsBeside(picture);
    const precision = sharedDecimals(maps, ink.precision, cells.cellWidth, size.letters);
    cellTexts(texts, { ...ink, precision }, size.letters);
  }

  /** @param {SizedPicture} picture */
  mapsBeside(picture) {
    const { stage, store } = this.plate;
    const state = store.get();
    const { answer } = state;
    if (!answer || !isMap(stage) || stage.kind === "difference") return [];
    const taken = (/** @type {Stage} */ each) => pictureOf(store.page, answer, each, selection(state)) ?? [];
    const maps = store.page.stages.filter(isMap).flatMap(taken);
    return maps.includes(picture) && maps.every(({ coarse }) => !coarse) ? maps : [];
  }

  /** @param {MouseEvent} event */
  cellAt(event) {
    const { canvas, picture, stage } = this.plate;
    const at = picture && cellUnder(event, canvas, picture);
    return at && { ...at, stage: stage.name };
  }

  /** Pins the cell and scrolls it clear of the inspector. @param {Cell} cell */
  pin(cell) {
    togglePin(this.plate.store, cell);
    const { pinned } = this.overlay;
    if (!pinned.hidden) pinned.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  start() {
    const { stage, store } = this.plate;
    const { cell } = store.get().view;
    return cell?.stage === stage.name ? cell : { stage: stage.name, row: 0, col: 0 };
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const { plate } = this;
    const { picture, stage, store } = plate;
    if (!picture || isShortcut(event)) return;
    const { hover: now, view } = store.get();
    const at = now?.stage === stage.name ? now : this.start();
    const to = cellAfter(event, at, picture);
    if (to) plate.hover({ ...to, stage: stage.name, keys: true });
    else if (event.key === "Enter" || event.key === " ") this.pin(at);
    else if (event.key === "Escape" && view.cell) unpin(store);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {State} state @returns {import("./heatmap.js").Lit} */
  update(state) {
    const active = state.hover ?? state.view.cell;
    const regions = active ? this.regions(state, active) : [];
    this.show(regions);
    this.showCell(state);
    const lit = { rows: new Set(), cols: new Set() };
    for (const { row, col } of regions) {
      if (row !== null) lit.rows.add(row);
      if (col !== null) lit.cols.add(col);
    }
    return lit;
  }

  /**
   * Regions to highlight: the cell's operands, or in its own picture its row, its column and the cell.
   * @param {State} state @param {Cell} cell
   */
  regions(state, cell) {
    const { name } = this.plate.stage;
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
    const all = cellsOfPieces(state, cell).flatMap((each) => upstream(this.plate.store.page, each, of));
    const own = all.filter((region) => region.stage === name);
    return [...new Map(own.map((region) => [`${region.row} ${region.col}`, region])).values()];
  }

  /** @param {import("../core/upstream.js").Region[]} regions */
  show(regions) {
    while (this.pool.length < regions.length) {
      const mark = h("div", { class: "lit" });
      this.pool.push(mark);
      this.overlay.box.prepend(mark);
    }
    this.pool.forEach((mark, index) => {
      const region = regions[index];
      mark.hidden = !region;
      if (!region) return;
      const { rows, cols } = sides(this.plate.stage);
      const axis = region.row === null ? cols : (region.axis ?? rows);
      const cell = region.row !== null && region.col !== null;
      mark.className = cell ? "lit cell" : `lit axis-${colorOf(axis)}`;
      this.overlay.frame(mark, region);
    });
  }

  /** @param {State} state */
  showCell(state) {
    const { hover } = state;
    const { stage, store } = this.plate;
    const { cursor, cursorRow, readout, size } = this.overlay;
    const here = hover?.stage === stage.name && hover.row < size.rows && hover.col < size.cols;
    readout.hidden = !here;
    if (!here) return;
    const value = readCell(store, stage, /** @type {SizedPicture} */ (this.plate.picture), hover, state.view.precision);
    const place = placeOf(store, state, hover);
    readout.replaceChildren(h("b", {}, value), h("span", {}, place));
    cursor.setAttribute("aria-label", `${place}: ${value}`);
    cursorRow.setAttribute("aria-rowindex", String(hover.row + 1));
    cursor.setAttribute("aria-colindex", String(hover.col + 1));
    // Measure after all pictures are updated, so that there is one layout.
    cancelAnimationFrame(this.request);
    this.request = requestAnimationFrame(() => this.placeReadout(hover));
  }

  /** @param {RowCol} at */
  placeReadout({ row, col }) {
    const { readout, size } = this.overlay;
    const { cellWidth, cellHeight } = size;
    const { plot, root } = this.plate;
    const picture = plot.getBoundingClientRect();
    const [left, top] = [picture.left + col * cellWidth, picture.top + row * cellHeight];
    const cell = { left, top, right: left + cellWidth, bottom: top + cellHeight };
    const edge = root.getBoundingClientRect().right + MARGIN;
    const { clientWidth, clientHeight } = document.documentElement;
    const most = { edge, right: clientWidth, bottom: clientHeight };
    const { offsetWidth: width, offsetHeight: height } = readout; // sizes depend on the font
    const place = readoutPlace(cell, picture, { width, height }, most);
    readout.style.left = `${place.left - picture.left}px`;
    readout.style.top = `${place.top - picture.top}px`;
  }
}

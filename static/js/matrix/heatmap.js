import { isMap } from "../core/page.js";
import { pictureOf, scaleOf } from "../core/picture.js";
import { selection } from "../core/state.js";
import { h } from "../lib/dom.js";
import { fit } from "../lib/fit.js";
import { paint } from "../lib/paint.js";
import { axisLabels, gutters, lightLabels } from "./axis-labels.js";
import { colorsOf } from "./colors.js";
import { labelOf } from "./names.js";

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

/** @typedef {{rows: Set<number>, cols: Set<number>}} Lit labels to highlight */
/** @typedef {{update: (state: State) => Lit, write: (ink: Ink) => void}} Hand */
/**
 * @typedef {{picture: SizedPicture, colors: Palette, scale: Scale,
 * cells: import("../lib/fit.js").Fit, precision: number, family: string}} Ink
 */
/** @typedef {{width: number, height: number, font: string, family: string}} Room for a heatmap and its labels */

export const CARD_SIZE = { most: 56, gutter: 62 };

/** @type {((plate: Heatmap) => Hand) | null} */
let newInput = null;
/** @type {Set<Heatmap>} without input */
const noInput = new Set();

/** Adds pointer and key input to existing and later pictures. @param {(plate: Heatmap) => Hand} make */
export function addInput(make) {
  newInput = make;
  for (const plate of noInput) {
    plate.input = make(plate);
    if (plate.ink) plate.input.write(plate.ink);
    plate.light(plate.store.get());
  }
  noInput.clear();
}

/** @type {WeakMap<Element, Heatmap>} */
const heatmapOf = new WeakMap();
/** @type {ResizeObserver | null} */
let observer = null;

/** All styles are read before a picture is drawn: after it, reading is slow. @param {ResizeObserverEntry[]} entries */
function onResize(entries) {
  const rooms = entries.map(({ target, contentRect: { width, height } }) => {
    const { fontSize, fontFamily: family } = getComputedStyle(target);
    return { width, height, font: `${fontSize} ${family}`, family };
  });
  entries.forEach(({ target }, at) => heatmapOf.get(target)?.resize(rooms[at]));
}

export class Heatmap {
  /**
   * `size` in px: largest cell (`most`), largest label (`gutter`), smallest font (`letters`).
   * @param {HTMLElement} root @param {Store} store @param {Stage} stage
   * @param {{most: number, gutter: number, stretch?: number, letters?: number}} size
   */
  constructor(root, store, stage, size) {
    this.root = root;
    this.store = store;
    this.stage = stage;
    this.size = size;
    this.painted = "";
    /** @type {SizedPicture | null} */
    this.picture = null;
    /** @type {Ink | null} */
    this.ink = null;
    this.canvas = h("canvas", { "aria-hidden": "true" });
    this.labels = h("div", { class: "labels", "aria-hidden": "true" });
    this.texts = h("div", { class: "cells", "aria-hidden": "true" });
    this.plot = h("div", { class: "plot", tabindex: "0" }, this.canvas, this.texts);
    this.overlay = new Overlay(this.plot, stage);
    root.classList.add("heatmap");
    root.translate = false;
    root.append(this.labels, this.plot);
    /** @type {Room} set by the observer: measuring here would cause many layouts */
    this.room = { width: 0, height: 0, font: "", family: "" };
    heatmapOf.set(root, this);
    observer ??= new ResizeObserver(onResize);
    observer.observe(root);
    /** @type {Hand | null} */
    this.input = newInput?.(this) ?? null;
    if (!this.input) noInput.add(this);
  }

  /** @type {Part["update"]} */
  update(state, previous) {
    /** @param {(keyof State)[]} names */
    const others = (...names) => names.some((one) => state[one] !== previous?.[one]);
    if (others("view", "answer", "exact", "theme")) this.draw(state);
    if (others("view", "answer", "exact", "hover")) this.light(state);
  }

  destroy() {
    observer?.unobserve(this.root);
    noInput.delete(this);
    this.root.replaceChildren();
  }

  /** @param {Room} room */
  resize(room) {
    this.room = room;
    this.draw(this.store.get());
  }

  /** @param {State} state @returns {SizedPicture | null} */
  take(state) {
    return state.answer && pictureOf(this.store.page, state.answer, this.stage, selection(state));
  }

  /** @param {State} state */
  draw(state) {
    const { room, stage, store } = this;
    if (!state.answer || room.width === 0) return;
    const picture = this.take(state);
    if (!picture) return;
    const margin = gutters(store, state, stage, picture, room, this.size);
    const rest = { width: room.width - margin.left, height: room.height - margin.top };
    const cells = fit(picture, rest, { ...this.size, square: isMap(stage) });
    const shift = Math.max(0, Math.floor((rest.width - cells.width) / 2));
    Object.assign(margin, { shift, left: margin.left + shift });
    const { layer, head, batch, range, precision } = state.view;
    const { trace, merged } = state.answer.reply;
    const of = [
      trace,
      merged,
      picture.left,
      layer,
      head,
      batch,
      range,
      precision,
      state.theme,
      picture.coarse?.arrivalKey,
    ];
    const key = JSON.stringify([of, cells, margin, window.devicePixelRatio]);
    if (key === this.painted) return;
    this.painted = key;
    this.root.dataset.trace = `${trace} batch=${batch}`;
    this.picture = picture;
    const scale = scaleOf(picture, stage, range);
    const colors = colorsOf(store.page, state.theme, stage.kind);
    paint(this.canvas, picture, colors, scale, cells.pixelsWide, cells.pixelsHigh);
    Object.assign(this.canvas.dataset, { layer, head });
    Object.assign(this.plot.style, {
      left: `${margin.left}px`,
      top: `${margin.top}px`,
      width: `${cells.width}px`,
      height: `${cells.height}px`,
    });
    axisLabels(this.labels, store, state, stage, picture, cells, margin);
    this.ink = { picture, colors, scale, cells, precision, family: room.family };
    this.input?.write(this.ink);
    this.overlay.resize(picture, cells);
    this.describe(state, picture);
    this.light(state);
  }

  /** @param {State} state */
  light(state) {
    if (!this.picture) return;
    this.overlay.showPinned(state.view.cell);
    const lit = this.input?.update(state);
    if (lit) lightLabels(this.labels, lit);
  }

  /** @param {State} state @param {SizedPicture} picture */
  describe({ view: { layer, head } }, { rows, cols }) {
    const { overlay, plot, stage, store } = this;
    // Set together: in ARIA a grid needs a name, and cells need a grid.
    plot.setAttribute("role", "grid");
    plot.setAttribute("aria-activedescendant", overlay.cursor.id);
    plot.append(overlay.cursorRow);
    plot.setAttribute(
      "aria-label",
      store.t("heatmap.label", { stage: labelOf(store, stage.name), rows, cols, layer, head }),
    );
    plot.setAttribute("aria-rowcount", String(rows));
    plot.setAttribute("aria-colcount", String(cols));
  }

  /** @param {State["hover"]} cell */
  hover(cell) {
    const { hover: now } = this.store.get();
    if (now?.stage === cell?.stage && now?.row === cell?.row && now?.col === cell?.col) return;
    this.store.set({ hover: cell }, { silent: true });
  }
}

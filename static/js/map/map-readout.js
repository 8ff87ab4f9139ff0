import { h } from "../lib/dom.js";
import { labelOf } from "../matrix/names.js";
import { isolated, formatCell } from "../matrix/cell-text.js";
import { CLOSED } from "./byte-codes.js";
import { tilePlaceOf } from "./exact-number.js";
import { corner, squareOf } from "./pan-zoom.js";
import { tileName } from "./double-buffer.js";

const SPOKEN = 180; // ms before announcing a cell

/**
 * Rounded number of a cell or square: null if closed, undefined until loaded.
 * @param {Maps.Sheet} sheet @param {import("./tile-store.js").TileStore} tiles @param {number} side
 * @param {RowCol} cell
 */
export function roundedOf(sheet, tiles, side, cell) {
  const { tile, y, x } = tilePlaceOf(sheet.extent.levels, side, cell);
  const held = tiles.get(tileName(sheet, tile));
  if (!held) return undefined;
  const code = held.codes[y * held.cols + x];
  return code === CLOSED ? null : sheet.values[code];
}

export class MapReadout {
  /**
   * @param {HTMLElement} frame @param {HTMLElement} plot @param {import("./map-plate.js").MapPlate} plate
   * @param {import("./exact-number.js").ExactNumber} exact
   */
  constructor(frame, plot, plate, exact) {
    this.plate = plate;
    this.store = plate.store;
    this.exact = exact;
    this.plot = plot;
    this.number = h("b");
    this.place = h("span");
    const attributes = { class: "readout", translate: "no", hidden: true, "aria-hidden": "true" };
    this.root = h("div", attributes, this.number, this.place);
    this.cursor = h("div", { role: "gridcell", id: "map-cell" });
    this.row = h("div", { role: "row", class: "cursor" }, this.cursor);
    this.spoken = h("p", { class: "hidden", "aria-live": "polite" });
    /** @type {RowCol | null} */
    this.cell = null;
    this.keys = false;
    this.timer = 0;
    frame.append(this.root, this.spoken);
  }

  grid() {
    this.plot.setAttribute("role", "grid");
    this.plot.setAttribute("aria-activedescendant", this.cursor.id);
    this.plot.append(this.row);
  }

  /** @param {RowCol | null} cell @param {boolean} keys whether keys moved there */
  show(cell, keys) {
    this.cell = cell;
    this.keys = keys;
    clearTimeout(this.timer);
    if (cell && keys) this.timer = setTimeout(() => this.say(), SPOKEN);
    this.refresh();
  }

  refresh() {
    const { cell, plate } = this;
    const { sheet, side } = plate;
    this.root.hidden = !cell || !sheet;
    if (!cell || !sheet) return;
    const number = this.numberOf(sheet, side, cell);
    const place = this.placeOf(sheet, side, cell);
    if (this.number.textContent !== number) this.number.textContent = number;
    if (this.place.textContent !== place) this.place.textContent = place;
    this.row.setAttribute("aria-rowindex", String(cell.row + 1));
    this.cursor.setAttribute("aria-colindex", String(cell.col + 1));
    this.cursor.setAttribute("aria-label", `${place}: ${number}`);
    this.put(sheet, side, cell);
  }

  /** @param {Maps.Sheet} sheet @param {number} side @param {RowCol} cell */
  numberOf(sheet, side, cell) {
    if (side === 1 && sheet.left.includes(cell.col)) return this.store.t("cell.left_out");
    const { precision } = this.store.get().view;
    const rounded = roundedOf(sheet, this.plate.sheets.tiles, side, cell);
    const exact = this.exact.numberOf(sheet, side, cell);
    const closed = rounded === null || exact === -Infinity;
    const value = closed ? null : (exact ?? rounded);
    if (value === undefined) return "…";
    const number = formatCell(this.store, sheet.stage, value, precision);
    const shown = exact === undefined && !closed ? `≈ ${number}` : number;
    return side === 1 || closed ? shown : this.store.t(`map.of_square.${sheet.reduce}`, { number: shown, side });
  }

  /** @param {Maps.Sheet} sheet @param {number} side @param {RowCol} cell */
  placeOf(sheet, side, cell) {
    const { rows, cols } = squareOf(cell, side, sheet.size);
    const name = (/** @type {Axis} */ axis, /** @type {Span} */ [start, end]) => {
      const ends = end - start === 1 ? [start] : [start, end - 1];
      return ends.map((at) => isolated(sheet.tokens[axis].wordOf(at))).join(" … ");
    };
    return `${name("query", rows)} → ${name("key", cols)}`;
  }

  /** @param {Maps.Sheet} sheet @param {number} side @param {RowCol} cell */
  put(sheet, side, cell) {
    const { place, room, frame } = this.plate;
    const from = corner(place, room);
    const { rows, cols } = squareOf(cell, side, sheet.size);
    const [left, top] = [from.x + cols[0] * place.scale, from.y + rows[0] * place.scale];
    const wide = side * place.scale;
    const flips = left > frame.width / 2;
    const below = top < room.top + 48;
    this.root.classList.toggle("left", flips);
    this.root.classList.toggle("below", below);
    this.root.style.left = `${Math.max(room.left, Math.min(room.left + room.width, flips ? left : left + wide))}px`;
    this.root.style.top = `${Math.max(room.top, below ? top + wide : top)}px`;
  }

  say() {
    const { sheet } = this.plate;
    if (!this.cell || !sheet) return;
    const stage = labelOf(this.store, sheet.selected.stage);
    this.spoken.textContent = `${stage}, ${this.place.textContent}: ${this.number.textContent}`;
  }

  destroy() {
    clearTimeout(this.timer);
  }
}

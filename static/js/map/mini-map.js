import { h } from "../lib/dom.js";
import { isWhole, visibleCells } from "./pan-zoom.js";
import { bitmapOf } from "./paint-tiles.js";
import { tileName } from "./double-buffer.js";

const LEAST = 4; // px; smallest side of the frame

export class MiniMap {
  /** @param {HTMLElement} root @param {import("./map-plate.js").MapPlate} plate */
  constructor(root, plate) {
    this.root = root;
    this.plate = plate;
    this.canvas = h("canvas");
    this.frame = h("i");
    /** @type {Uint32Array | null} colours drawn last */
    this.pixels = null;
    /** @type {Maps.CachedTile | null} */
    this.held = null;
    root.classList.add("mini");
    root.setAttribute("aria-hidden", "true"); // keys can move the map itself
    root.append(this.canvas, this.frame);
    root.addEventListener("pointerdown", (event) => {
      root.setPointerCapture(event.pointerId);
      this.go(event);
    });
    root.addEventListener("pointermove", (event) => root.hasPointerCapture(event.pointerId) && this.go(event));
  }

  /** @param {PointerEvent} event */
  go(event) {
    const { sheet, goal } = this.plate;
    if (!sheet) return;
    const box = this.canvas.getBoundingClientRect();
    const row = ((event.clientY - box.top) / box.height) * sheet.size.rows;
    const col = ((event.clientX - box.left) / box.width) * sheet.size.cols;
    this.plate.approach({ ...goal, row, col });
    event.preventDefault();
  }

  update() {
    const { sheet, sheets, colouring, place, room } = this.plate;
    if (!sheet || !colouring) return;
    const held = sheets.tiles.get(tileName(sheet, { z: 0, row: 0, col: 0 }));
    if (held) this.paint(held, sheet, colouring.pixels);
    this.frame.hidden = isWhole(place, sheet.size, room);
    const { rows, cols } = visibleCells(place, sheet.size, room);
    const part = (/** @type {Span} */ [start, end], /** @type {number} */ count) =>
      [start, end - start].map((each) => `${(100 * each) / count}%`);
    const [[top, height], [left, width]] = [part(rows, sheet.size.rows), part(cols, sheet.size.cols)];
    Object.assign(this.frame.style, {
      top,
      left,
      width: `max(${LEAST}px, ${width})`,
      height: `max(${LEAST}px, ${height})`,
    });
  }

  /** @param {Maps.CachedTile} held @param {Maps.Sheet} sheet @param {Uint32Array} pixels */
  paint(held, sheet, pixels) {
    if (this.canvas.width !== held.cols || this.canvas.height !== held.rows) {
      this.canvas.width = held.cols;
      this.canvas.height = held.rows;
      this.root.style.aspectRatio = `${sheet.size.cols} / ${sheet.size.rows}`;
      this.pixels = null;
    }
    if (this.pixels === pixels && this.held === held) return;
    [this.pixels, this.held] = [pixels, held];
    this.root.classList.toggle("hatched", !held.open);
    const context = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext("2d"));
    context.clearRect(0, 0, held.cols, held.rows);
    context.drawImage(bitmapOf(held, pixels), 0, 0);
  }
}

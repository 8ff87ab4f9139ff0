import { unpin } from "../core/pointing.js";
import { cellAfter, isShortcut, stepOf } from "../lib/step-keys.js";
import { cellAt, isWhole, panPlace, placeWithCell, zoomPlace } from "./pan-zoom.js";

const DRAG = 4; // px before a drag starts
const STEP = 1.6; // zoom factor of a key
const WHEEL = 0.0018; // zoom exponent per px of the wheel
const NOTCH = 120; // px; limit of a wheel movement

export class MapInput {
  /**
   * @param {HTMLElement} plot @param {import("./map-plate.js").MapPlate} plate
   * @param {{hover: (cell: RowCol | null, keys: boolean) => void, pin: (cell: RowCol) => void}} tab
   */
  constructor(plot, plate, tab) {
    this.plot = plot;
    this.plate = plate;
    this.tab = tab;
    /** @type {Map<number, Point>} by pointer id */
    this.pressedPointers = new Map();
    /** @type {Point | null} start of a click; null in a drag */
    this.pressed = null;
    /** @type {Point | null} null outside the map or after a key */
    this.pointer = null;
    /** @type {RowCol | null} */
    this.cursor = null;
    this.listen();
  }

  listen() {
    const { plot } = this;
    plot.addEventListener("pointerdown", (event) => this.onDown(event));
    plot.addEventListener("pointermove", (event) => this.onMove(event));
    for (const name of /** @type {const} */ (["pointerup", "pointercancel"]))
      plot.addEventListener(name, (event) => this.onUp(event));
    plot.addEventListener("pointerleave", () => this.leave());
    plot.addEventListener("wheel", (event) => this.onWheel(event), { passive: false });
    plot.addEventListener("dblclick", (event) => this.zoom(event.shiftKey ? 1 / STEP ** 2 : STEP ** 2, pointOf(event)));
    plot.addEventListener("keydown", (event) => this.onKey(event));
    plot.addEventListener("focus", () => plot.matches(":focus-visible") && this.moveTo(this.start()));
    plot.addEventListener("blur", () => this.tab.hover(null, false));
  }

  /** @param {Point} point */
  cellUnder(point) {
    const { sheet, place, room } = this.plate;
    return sheet && cellAt(place, sheet.size, room, point);
  }

  /** @param {PointerEvent} event */
  onDown(event) {
    if (event.button !== 0) return;
    const point = pointOf(event);
    this.pressedPointers.set(event.pointerId, point);
    this.pressed = this.pressedPointers.size === 1 ? point : null;
  }

  /** @param {PointerEvent} event */
  onMove(event) {
    const to = pointOf(event);
    const from = this.pressedPointers.get(event.pointerId);
    this.pointer = to;
    if (!from) return this.tab.hover(this.cellUnder(to), false);
    if (this.pressed && Math.hypot(to.x - this.pressed.x, to.y - this.pressed.y) < DRAG) return;
    if (this.pressed || !this.plot.hasPointerCapture(event.pointerId)) this.plot.setPointerCapture(event.pointerId);
    this.pressed = null;
    this.plot.classList.add("dragged");
    if (this.pressedPointers.size === 2) this.pinch(event.pointerId, to);
    else this.pan(to.x - from.x, to.y - from.y);
    this.pressedPointers.set(event.pointerId, to);
  }

  leave() {
    this.pointer = null;
    this.tab.hover(null, false);
  }

  /** Updates the hover after the map moved under a resting pointer. */
  follow() {
    if (this.pointer && this.pressedPointers.size === 0) this.tab.hover(this.cellUnder(this.pointer), false);
  }

  /** @param {PointerEvent} event */
  onUp(event) {
    const known = this.pressedPointers.delete(event.pointerId);
    if (this.pressedPointers.size === 0) this.plot.classList.remove("dragged");
    const press = event.type === "pointerup" && known && this.pressed;
    this.pressed = null;
    const cell = press && this.cellUnder(press);
    if (cell) this.tab.pin(cell);
  }

  /** @param {number} moved @param {Point} to */
  pinch(moved, to) {
    const { sheet, place, room } = this.plate;
    const other = [...this.pressedPointers].find(([id]) => id !== moved)?.[1];
    const from = this.pressedPointers.get(moved);
    if (!sheet || !other || !from) return;
    const far = (/** @type {Point} */ a) => Math.max(1, Math.hypot(a.x - other.x, a.y - other.y));
    const middle = (/** @type {Point} */ a) => ({ x: (a.x + other.x) / 2, y: (a.y + other.y) / 2 });
    const [before, after] = [middle(from), middle(to)];
    const larger = zoomPlace(place, sheet.size, room, before, far(to) / far(from));
    this.plate.goTo(panPlace(larger, sheet.size, room, after.x - before.x, after.y - before.y));
  }

  /** @param {number} x @param {number} y @param {boolean} [glides] */
  pan(x, y, glides = false) {
    const { sheet, goal, room } = this.plate;
    if (sheet) this.plate.goTo(panPlace(goal, sheet.size, room, x, y), glides);
  }

  /** @param {number} factor @param {Point} [about] default: the centre @param {boolean} [glides] */
  zoom(factor, about, glides = true) {
    const { sheet, goal, room } = this.plate;
    const middle = { x: room.left + room.width / 2, y: room.top + room.height / 2 };
    if (sheet) this.plate.goTo(zoomPlace(goal, sheet.size, room, about ?? middle, factor), glides);
  }

  /** When the whole map is visible, zooming out scrolls the page. @param {WheelEvent} event */
  onWheel(event) {
    const { sheet, place, room } = this.plate;
    if (!sheet) return;
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 1 : 16;
    const turned = Math.max(-NOTCH, Math.min(NOTCH, event.deltaY * lines));
    if (turned > 0 && isWhole(place, sheet.size, room)) return;
    event.preventDefault();
    this.pointer = pointOf(event);
    this.zoom(Math.exp(-WHEEL * turned * (event.ctrlKey ? 4 : 1)), this.pointer, false);
  }

  start() {
    const { sheet, store } = this.plate;
    const { cell } = store.get().view;
    if (!sheet) return { row: 0, col: 0 };
    if (cell?.stage === sheet.selected.stage) return { row: cell.row, col: cell.col };
    const { rows, cols } = this.plate.visibleRegion(sheet);
    const middle = (/** @type {Span} */ [start, end]) => Math.floor((start + end - 1) / 2);
    return this.cursor ?? { row: middle(rows), col: middle(cols) };
  }

  /** @param {RowCol} cell */
  moveTo(cell) {
    const { sheet, goal, room } = this.plate;
    if (!sheet) return;
    this.cursor = cell;
    this.pointer = null;
    const place = placeWithCell(goal, sheet.size, room, cell);
    if (place.row !== goal.row || place.col !== goal.col) this.plate.goTo(place);
    this.tab.hover(cell, true);
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const { sheet, store } = this.plate;
    if (!sheet || isShortcut(event)) return;
    if (!this.zoomBy(event) && !this.walk(event, sheet)) {
      if (event.key === "Enter" || event.key === " ") this.tab.pin(this.cursor ?? this.start());
      else if (event.key === "Escape" && store.get().view.cell) unpin(store);
      else return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {KeyboardEvent} event */
  zoomBy({ key }) {
    const about = this.cursor ? this.middleOf(this.cursor) : undefined;
    if (key === "+" || key === "=") this.zoom(STEP, about);
    else if (key === "-" || key === "−") this.zoom(1 / STEP, about);
    else if (key === "0") this.plate.showAll();
    else return false;
    return true;
  }

  /** @param {RowCol} cell @returns {Point | undefined} undefined if not visible */
  middleOf({ row, col }) {
    const { place, room } = this.plate;
    const [x, y] = [(col + 0.5 - place.col) * place.scale, (row + 0.5 - place.row) * place.scale];
    const seen = Math.abs(x) < room.width / 2 && Math.abs(y) < room.height / 2;
    return seen ? { x: room.left + room.width / 2 + x, y: room.top + room.height / 2 + y } : undefined;
  }

  /** Arrow keys move the cursor; with Shift, the map. @param {KeyboardEvent} event @param {Maps.Sheet} sheet */
  walk(event, sheet) {
    const step = stepOf(event);
    if (!step) return false;
    const { room, side } = this.plate;
    if (event.shiftKey) {
      const [down, right] = step.map((each) => Math.max(-3, Math.min(3, each)));
      this.pan((-right * room.width) / 4, (-down * room.height) / 4, true);
      return true;
    }
    const at = this.cursor ?? this.start();
    const squares = { row: Math.floor(at.row / side), col: Math.floor(at.col / side) };
    const size = { rows: Math.ceil(sheet.size.rows / side), cols: Math.ceil(sheet.size.cols / side) };
    const to = cellAfter(event, squares, size);
    if (to) this.moveTo({ row: to.row * side, col: to.col * side });
    return true;
  }
}

/** @param {MouseEvent} event */
const pointOf = ({ offsetX, offsetY }) => ({ x: offsetX, y: offsetY });

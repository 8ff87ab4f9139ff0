import { setView } from "../core/actions.js";
import { togglePin } from "../core/pointing.js";
import { Problem } from "../core/api.js";
import { passingWords } from "../core/refusal-words.js";
import { fill, h } from "../lib/dom.js";
import { labelOf } from "../matrix/names.js";
import { ExactNumber, strongestIn } from "./exact-number.js";
import { FindBox } from "./find-box.js";
import { MapInput } from "./map-input.js";
import { MapLegend } from "./map-legend.js";
import { MapOptions } from "./map-options.js";
import { MapPlate } from "./map-plate.js";
import { MapReadout } from "./map-readout.js";
import { MiniMap } from "./mini-map.js";
import { isWhole, placeOf, urlPlaceOf, squareOf } from "./pan-zoom.js";
import { SeenTable } from "./seen-table.js";
import { DoubleBuffer } from "./double-buffer.js";

const SHORT = 64; // most tokens for `shareHover`

/** @type {ViewOf} */
export const map = (root, store) => new MapTab(root, store);

class MapTab {
  /** @param {HTMLElement} root @param {Store} store */
  constructor(root, store) {
    const { t } = store;
    this.root = root;
    this.store = store;
    /** @type {State | undefined} */
    this.state = undefined;
    /** @type {RowCol | null} */
    this.cell = null;
    this.keys = false; // `cell` was reached by keys
    this.hovered = "";
    /** @type {Maps.Sheet | null} */
    this.described = null;
    this.tableTimer = 0;
    this.pinning = new AbortController();
    this.options = new MapOptions(store);
    this.note = h("p", { class: "map-note", role: "status" });
    this.plot = h("div", { class: "map-plot", tabindex: "0", "aria-describedby": "map-keys" });
    this.box = h("div", { class: "map-box" }, this.plot, this.note);
    this.sheets = new DoubleBuffer(store, {
      changed: () => this.plate.redraw(),
      onProgress: (progress) => this.showProgress(progress),
      ails: (problem) => this.showProblem(problem),
    });
    this.plate = new MapPlate(this.plot, store, this.sheets, {
      placed: () => this.afterMove(),
      drawn: () => this.afterDraw(),
      rested: () => this.afterRest(),
    });
    this.exact = new ExactNumber(() => this.plate.redraw());
    this.readout = new MapReadout(this.box, this.plot, this.plate, this.exact);
    this.input = new MapInput(this.plot, this.plate, this);
    const mini = h("div");
    this.mini = new MiniMap(mini, this.plate);
    this.legend = new MapLegend(store);
    this.table = new SeenTable(this.plate);
    const side = h("div", { class: "map-side" }, mini, this.buttons(), new FindBox(this.plate).root, this.legend.root);
    root.classList.add("map");
    const keys = h("p", { class: "hidden", id: "map-keys" }, t("map.keys"));
    const card = h("div", { class: "card map-card" }, this.box, side, keys);
    this.drawing = h("div", { class: "drawn" }, card, this.table.root);
    root.append(this.options.root, this.drawing);
  }

  buttons() {
    const { t } = this.store;
    const button = (/** @type {string} */ key, /** @type {string} */ sign, /** @type {() => void} */ onclick) =>
      h("button", { class: "button", "aria-label": t(`map.${key}`), title: t(`map.${key}`), onclick }, sign);
    return h(
      "div",
      { class: "map-zoom", role: "group", "aria-label": t("map.zoom") },
      button("larger", "+", () => this.input.zoom(2)),
      button("smaller", "−", () => this.input.zoom(1 / 2)),
      h("button", { class: "button", onclick: () => this.plate.showAll() }, t("map.whole")),
    );
  }

  /** @type {Part["update"]} */
  update(state) {
    const { view, answer, theme } = state;
    if (view.tab !== "map" || !answer) return;
    const before = this.state;
    this.state = state;
    if (view !== before?.view || answer !== before.answer) this.options.show(state);
    if (before && theme !== before.theme) this.plate.applyTheme();
    this.sheets.turnTo(state);
    this.mark();
    if (!before) return;
    if (state.status === "ready" && (before.status !== "ready" || state.attempt !== before.attempt)) {
      this.sheets.retry();
      this.afterRest();
    }
    if (view.ramp !== before.view.ramp) this.plate.colour();
    if (view.place !== before.view.place) this.follow(view.place);
    if (view.cell !== before.view.cell || view.precision !== before.view.precision) this.plate.redraw();
    if (view.table !== before.view.table || view.precision !== before.view.precision) this.afterRest();
  }

  /** @param {NonNullable<View["place"]> | null} spot */
  follow(spot) {
    const { sheet, place, room } = this.plate;
    if (!sheet || JSON.stringify(spot) === JSON.stringify(urlPlaceOf(place, sheet.size, room))) return;
    this.plate.goTo(placeOf(spot, sheet.size, room), true);
  }

  afterMove() {
    this.input.follow();
    if (this.cell) this.hover(this.cell, this.keys);
  }

  mark() {
    this.box.classList.toggle("pending", this.sheets.isPending);
    this.box.classList.toggle("old", this.sheets.isOld);
  }

  afterDraw() {
    const { sheet, colouring, place, room } = this.plate;
    this.mark();
    if (!sheet || !colouring) return;
    this.drawing.dataset.trace = `${sheet.named.trace} batch=${sheet.selected.batch}`;
    if (this.described !== sheet) this.describe(sheet);
    this.plot.classList.toggle("zoomed", !isWhole(place, sheet.size, room));
    this.mini.update();
    this.legend.show(sheet, colouring);
    this.readout.refresh();
    if (this.table.span) this.refreshTable();
  }

  /** @param {Maps.Sheet} sheet */
  describe(sheet) {
    this.described = sheet;
    const { rows, cols } = sheet.size;
    const stage = labelOf(this.store, sheet.selected.stage);
    this.readout.grid();
    this.plot.setAttribute("aria-label", this.store.t("heatmap.label", { ...sheet.selected, stage, rows, cols }));
    this.plot.setAttribute("aria-rowcount", String(rows));
    this.plot.setAttribute("aria-colcount", String(cols));
  }

  afterRest() {
    const { sheet } = this.plate;
    if (!sheet) return;
    sheet.blocks.want(this.regionsToRead(sheet));
    this.refreshTable();
  }

  /** @param {Maps.Sheet} sheet */
  regionsToRead(sheet) {
    const spans = [this.plate.hasNumbers ? this.plate.visibleRegion(sheet) : null, this.table.span];
    return spans.filter((span) => span !== null);
  }

  /** Delayed, since the table is too slow for every frame. */
  refreshTable() {
    clearTimeout(this.tableTimer);
    this.tableTimer = setTimeout(() => this.table.update(), 50);
  }

  /** @param {RowCol | null} cell @param {boolean} keys */
  hover(cell, keys) {
    const { sheet, side } = this.plate;
    const hovered = `${sheet?.key} ${side} ${cell?.row} ${cell?.col}`;
    if (hovered === this.hovered) return;
    this.hovered = hovered;
    this.cell = cell;
    this.keys = keys;
    this.plate.hoveredRegion = cell && sheet && squareOf(cell, side, sheet.size);
    this.shareHover(cell, sheet);
    this.readout.show(cell, keys);
    if (cell && sheet) this.exact.want(sheet, side, cell, this.regionsToRead(sheet));
    this.plate.redraw();
  }

  /**
   * Highlights the cell in other parts, for short texts only: a long sentence changes its height and moves the map.
   * @param {RowCol | null} cell @param {Maps.Sheet | null} sheet
   */
  shareHover(cell, sheet) {
    const short = sheet && Math.max(sheet.size.rows, sheet.size.cols) <= SHORT;
    const hover = cell && short ? { stage: sheet.selected.stage, ...cell } : null;
    if (hover || this.store.get().hover) this.store.set({ hover }, { silent: true });
  }

  /** Pins the cell, or the largest of a square. @param {RowCol} cell */
  async pin(cell) {
    const { sheet, side } = this.plate;
    if (!sheet) return;
    this.pinning.abort();
    this.pinning = new AbortController();
    const { signal } = this.pinning;
    const { stage } = sheet.selected;
    if (side === 1) return togglePin(this.store, { stage, ...cell });
    const { rows, cols } = squareOf(cell, side, sheet.size);
    try {
      const found = await strongestIn(sheet, { row: rows[0], col: cols[0] }, side, signal);
      if (!signal.aborted && this.plate.sheet === sheet)
        setView(this.store, { cell: { stage, ...found }, after: null });
    } catch (problem) {
      if (signal.aborted) return;
      if (!(problem instanceof Problem)) throw problem;
      this.showProblem(problem);
    }
  }

  /** @param {Maps.Progress | null} progress */
  showProgress(progress) {
    if (!progress) return fill(this.note);
    const part = Math.round((100 * progress.done) / Math.max(1, progress.of));
    const bar = h("progress", { max: 100, value: part, "aria-hidden": "true" });
    fill(this.note, bar, this.store.t("map.reading", { part }));
  }

  /** @param {Problem | null} problem */
  showProblem(problem) {
    fill(this.note, problem && h("span", { class: "error" }, passingWords(this.store, problem)));
  }

  destroy() {
    clearTimeout(this.tableTimer);
    this.pinning.abort();
    for (const part of [this.plate, this.sheets, this.exact, this.readout]) part.destroy();
    this.root.replaceChildren();
  }
}

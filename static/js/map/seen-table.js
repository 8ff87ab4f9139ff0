import { togglePin } from "../core/pointing.js";
import { dataTable } from "../lib/data-table.js";
import { fill, h } from "../lib/dom.js";
import { formatCell } from "../matrix/cell-text.js";
import { roundedOf } from "./map-readout.js";

const MOST = { rows: 24, cols: 16 };

/** @param {Span} span @param {number} most @param {boolean} around @returns {Span} */
function limitSpan([start, end], most, around) {
  if (end - start <= most) return [start, end];
  const first = around ? Math.floor((start + end - most) / 2) : start;
  return [first, first + most];
}

export class SeenTable {
  /** @param {import("./map-plate.js").MapPlate} plate */
  constructor(plate) {
    this.plate = plate;
    this.root = h("div", { class: "sheet", hidden: true, tabindex: "0" });
    this.root.setAttribute("role", "region");
    this.root.setAttribute("aria-label", plate.store.t("map.table"));
  }

  /** @returns {Maps.Region | null} null if hidden */
  get span() {
    const { plate } = this;
    const { sheet } = plate;
    if (!sheet || !plate.store.get().view.table) return null;
    const { rows, cols } = plate.visibleRegion(sheet);
    const around = plate.side > 1;
    return { rows: limitSpan(rows, MOST.rows, around), cols: limitSpan(cols, MOST.cols, around) };
  }

  update() {
    const { plate, span } = this;
    const { sheet, store } = plate;
    this.root.hidden = span === null;
    if (!span || !sheet) return;
    const { precision } = store.get().view;
    const list = ([start, end] = /** @type {Span} */ ([0, 0])) =>
      Array.from({ length: end - start }, (_, at) => start + at);
    const cell = (/** @type {number} */ row, /** @type {number} */ col) => {
      const value = sheet.blocks.at(row, col);
      const left = sheet.left.includes(col);
      const shut = plate.side === 1 && roundedOf(sheet, plate.sheets.tiles, 1, { row, col }) === null;
      const known =
        value === undefined
          ? "…"
          : formatCell(store, sheet.stage, shut || value === -Infinity ? null : value, precision);
      const number = left ? store.t("cell.left_out") : known;
      return h("td", { onclick: () => togglePin(store, { stage: sheet.selected.stage, row, col }) }, number);
    };
    const [rows, cols] = [list(span.rows), list(span.cols)];
    const { query, key } = sheet.tokens;
    fill(
      this.root,
      dataTable({
        caption: store.t("map.table_of", {
          top: rows[0],
          bottom: rows[rows.length - 1],
          left: cols[0],
          right: cols[cols.length - 1],
        }),
        columns: [[null, ...cols.map((col) => key.wordOf(col))]],
        bodies: [rows.map((row) => ({ name: query.wordOf(row), cells: cols.map((col) => cell(row, col)) }))],
      }),
    );
  }
}

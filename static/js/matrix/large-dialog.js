import { setView } from "../core/actions.js";
import { isMap, sides } from "../core/page.js";
import { pictureOf } from "../core/picture.js";
import { togglePin } from "../core/pointing.js";
import { hasSameNumbers, selection } from "../core/state.js";
import { dataTable } from "../lib/data-table.js";
import { fill, h } from "../lib/dom.js";
import { numberAt } from "../lib/number-at.js";
import { nameOf } from "./names.js";
import { formatCell } from "./cell-text.js";

export const LARGE_SIZE = { most: 64, gutter: 130 }; // px, see `Heatmap`

/** Shows one stage as picture or table. */
export class LargeDialog {
  /**
   * @param {HTMLDialogElement} dialog @param {Store} store @param {string} others selector of elements that need
   * Escape @param {boolean} [fixed] true: cannot be closed
   */
  constructor(dialog, store, others, fixed = false) {
    this.dialog = dialog;
    this.store = store;
    this.fixed = fixed;
    /** @type {Part[]} */
    this.parts = [];
    this.shown = "";
    this.keys = new AbortController();
    this.toggle = h("input", { type: "checkbox", onchange: () => setView(store, { table: this.toggle.checked }) });
    dialog.addEventListener("close", () => store.get().view.stage && setView(store, { stage: null, table: false }));
    const onKey = (/** @type {KeyboardEvent} */ { key, target }) => {
      const busy = target instanceof Element && target.closest(`${others}, dialog:modal`);
      if (key === "Escape" && dialog.open && !fixed && !busy) dialog.close();
    };
    document.addEventListener("keydown", onKey, { signal: this.keys.signal });
  }

  /**
   * Replaces the parts if the key is new. An empty key means no parts.
   * @param {string} key @param {() => Part[]} build @returns whether there are new parts
   */
  turnTo(key, build) {
    if (key === this.shown) return false;
    for (const part of this.parts.splice(0)) part.destroy();
    if (key) this.parts.push(...build());
    this.shown = key;
    return key !== "";
  }

  /** @param {string} title @param {Child[]} about @param {Child} [button] */
  header(title, about, button = null) {
    const { dialog, store, toggle } = this;
    const close = { class: "close", onclick: () => dialog.close(), "aria-label": store.t("dialog.close") };
    return h(
      "header",
      {},
      h("h2", {}, title),
      ...about,
      h("label", { class: "flag" }, toggle, store.t("large.table")),
      button,
      !this.fixed && h("button", close, "✕"),
    );
  }

  /**
   * Returns elements to fill, and the part that switches between picture and table.
   * @param {Stage} stage @param {string} label @param {Child[]} above @param {Record<string, string>} [region]
   * attributes of the table's element @param {Child} [below]
   */
  lay(stage, label, above, region = {}, below = null) {
    const { dialog, toggle } = this;
    const [picture, foot, sheet] = [h("div"), h("div"), h("div", { class: "sheet", tabindex: "0", ...region })];
    fill(dialog, above, picture, sheet, foot, below);
    dialog.setAttribute("aria-label", label);
    dialog.classList.toggle("map", isMap(stage));
    const shown = /** @type {Part} */ ({
      update({ view }) {
        toggle.checked = view.table;
        picture.hidden = foot.hidden = view.table;
        sheet.hidden = !view.table;
      },
      destroy: () => fill(dialog),
    });
    return { picture, foot, sheet, shown };
  }

  destroy() {
    this.keys.abort();
    for (const part of this.parts) part.destroy();
  }
}

const MOST = 64; // most rows and columns; a download has all

/**
 * @param {HTMLElement} root @param {Store} store @param {Stage} stage
 * @param {((state: State, cell: Cell) => Child) | null} [say] content of a cell, instead of its number @returns {Part}
 */
export function table(root, store, stage, say = null) {
  const axes = sides(stage);

  /** @param {State} state */
  function draw(state) {
    const picture = state.answer && pictureOf(store.page, state.answer, stage, selection(state));
    if (!picture) return;
    const rows = Array.from({ length: Math.min(MOST, picture.rows) }, (_, row) => row);
    const cols = Array.from({ length: Math.min(MOST, picture.cols) }, (_, col) => col);
    const here = !picture.coarse || picture.coarse.request("table", [0, rows.length], [0, cols.length]);
    const cut = picture.rows > MOST || picture.cols > MOST;
    const cell = (/** @type {number} */ row, /** @type {number} */ col) => {
      const place = { stage: stage.name, row, col };
      const left = picture.left?.includes(col);
      const value = () =>
        left ? store.t("cell.left_out") : formatCell(store, stage, numberAt(picture, row, col), state.view.precision);
      const content = say ? say(state, place) : here ? value() : "…";
      return h("td", { onclick: () => togglePin(store, place) }, content);
    };
    fill(
      root,
      cut && h("p", { class: "muted" }, store.t("large.cut", { n: MOST, rows: picture.rows, cols: picture.cols })),
      dataTable({
        translate: "no",
        columns: [[null, ...cols.map((col) => nameOf(state, axes.cols, col))]],
        bodies: [
          rows.map((row) => ({ name: nameOf(state, axes.rows, row), cells: cols.map((col) => cell(row, col)) })),
        ],
      }),
    );
  }

  return {
    update(state, previous) {
      const read = state.exact === previous?.exact || !state.answer?.numbers;
      const same = read && hasSameNumbers(state, previous) && state.view.precision === previous?.view.precision;
      if (state.view.table && (!same || !previous?.view.table)) draw(state);
    },
    destroy: () => root.replaceChildren(),
  };
}

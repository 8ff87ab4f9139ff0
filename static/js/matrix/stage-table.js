import { pin } from "../core/pointing.js";
import { sides } from "../core/page.js";
import { pictureOf } from "../core/picture.js";
import { sameNumbers, selection } from "../core/state.js";
import { dataTable } from "../lib/data-table.js";
import { fill, h } from "../lib/dom.js";
import { numberAt } from "../lib/number-at.js";
import { nameOf } from "./names.js";
import { formatCell } from "./number-text.js";

const MOST = 64; // most rows and columns; a download has all

/**
 * @param {HTMLElement} root @param {Store} store @param {Stage} stage
 * @param {((state: State, cell: Cell) => Child) | null} [say] content instead of numbers @returns {Part}
 */
export function table(root, store, stage, say = null) {
  const axes = sides(stage);

  /** @param {State} state */
  function draw(state) {
    const picture = state.answer && pictureOf(store.page, state.answer, stage, selection(state));
    if (!picture) return;
    const rows = Array.from({ length: Math.min(MOST, picture.rows) }, (_, row) => row);
    const cols = Array.from({ length: Math.min(MOST, picture.cols) }, (_, col) => col);
    const here = !picture.coarse || picture.coarse.read("table", [0, rows.length], [0, cols.length]);
    const cut = picture.rows > MOST || picture.cols > MOST;
    const cell = (/** @type {number} */ row, /** @type {number} */ col) => {
      const place = { stage: stage.name, row, col };
      const left = picture.left?.includes(col);
      const value = () =>
        left ? store.t("cell.left_out") : formatCell(store, stage, numberAt(picture, row, col), state.view.precision);
      const content = say ? say(state, place) : here ? value() : "…";
      return h("td", { onclick: () => pin(store, place) }, content);
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
      const same = read && sameNumbers(state, previous) && state.view.precision === previous?.view.precision;
      if (state.view.table && (!same || !previous?.view.table)) draw(state);
    },
    destroy: () => root.replaceChildren(),
  };
}

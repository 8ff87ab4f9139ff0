import { labelsOf } from "../core/answer.js";
import { namedAxes, colorOf, isMap, sides } from "../core/page.js";
import { marked } from "../core/pieces.js";
import { h, fill } from "../lib/dom.js";
import { widest } from "../lib/fit.js";
import { subscript } from "./names.js";

/**
 * @typedef {Object} Margin
 * @property {number} left
 * @property {number} top
 * @property {number} shift px that centre the picture, included in `left`
 * @property {"tokens" | "none"} rows
 * @property {"tokens" | "upright" | "none"} cols upright: rotated by 90°
 * @property {boolean} [whole] no label is clipped
 */

const LEGIBLE = 8; // px; least side of cells with labels
const CROWDED = 11; // px between rotated labels; closer ones are left out
const TITLE = 1.27; // height of a title / font size
const STACKED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u; // written downwards, not rotated
const PICTURE = /\p{Extended_Pictographic}/u; // rotation would separate parts of an emoji
const CLEAR = 2; // px; least width of columns beside row labels
const CLIPPED = 40; // px; least width of clipped row labels

/** @param {Label} label */
const labelText = ({ text, index, char = text }) => marked(char) + (index === null ? "" : subscript(index));

/** @param {State} state @param {string} axis */
function names(state, axis) {
  if ((axis !== "query" && axis !== "key") || !state.answer) return [];
  return labelsOf(state.answer.reply, state.view.batch, axis).map(labelText);
}

/**
 * @param {Store} store @param {State} state @param {Stage} stage @param {Picture} picture
 * @param {{width: number, height: number, font: string}} room
 * @param {{gutter: number, letters?: number}} size @returns {Margin}
 */
export function gutters(store, state, stage, picture, room, { gutter: most, letters = 11 }) {
  const line = Math.round(TITLE * letters);
  const { rows, cols } = sides(stage);
  const { width, height, font } = room;
  const plain = /** @type {Margin} */ ({ left: 0, shift: 0, top: line, rows: "none", cols: "none" });
  if (height / picture.rows < LEGIBLE || (rows !== "query" && rows !== "key")) return plain;
  const titles = isMap(stage) ? widest([`${store.t("axis.query")} ↓`], font) + 8 : 0;
  const left = Math.min(most, Math.max(titles, widest(names(state, rows), font) + 8));
  if (!isMap(stage)) {
    const spare = width - CLEAR * picture.cols;
    return { ...plain, left: spare >= CLIPPED ? Math.min(left, spare) : left, rows: "tokens" };
  }
  const wide = widest(names(state, cols), font);
  const pitch = Math.min((width - left) / picture.cols, (height - 2 * line) / picture.rows);
  const flat = wide + 4 <= pitch;
  const top = flat ? 2 * line : Math.max(2 * line, Math.min(most, wide + 8));
  if ((height - top) / picture.rows < LEGIBLE || (width - left) / picture.cols < LEGIBLE) return plain;
  return { left, top, shift: 0, rows: "tokens", cols: flat ? "tokens" : "upright", whole: Math.max(left, top) < most };
}

/**
 * @param {HTMLElement} box @param {Store} store @param {State} state @param {Stage} stage @param {Picture} picture
 * @param {import("../lib/fit.js").Fit} cells @param {Margin} margin
 */
export function axisLabels(box, store, state, stage, picture, cells, margin) {
  const { rows, cols } = sides(stage);
  const title = axisTitle(store, namedAxes(stage, state), margin);
  const down =
    margin.rows === "none"
      ? []
      : names(state, rows).map((name, row) => {
          const label = h("span", { class: "row", title: name, "data-row": row }, name);
          label.style.cssText = `font-size:min(1em,${cells.cellHeight}px);top:${margin.top + row * cells.cellHeight}px;height:${cells.cellHeight}px;width:${margin.left - 4}px`;
          return label;
        });
  const step = margin.cols === "upright" ? Math.ceil(CROWDED / cells.cellWidth) : 1;
  const across =
    margin.cols === "none"
      ? []
      : names(state, cols).map((name, col) => {
          if (col % step) return null;
          const way = margin.cols === "upright" ? wayOf(name) : margin.cols;
          const label = h("span", { class: `col ${way}`, title: name, "data-col": col }, name);
          const width = step * cells.cellWidth;
          const left = margin.left + (col + 0.5) * cells.cellWidth - width / 2;
          label.style.cssText = `font-size:min(1em,${width}px);left:${left}px;width:${width}px;height:${margin.top - 3}px`;
          return label;
        });
  box.classList.toggle("whole", !!margin.whole);
  fill(box, title, down, across);
}

/** @param {string} name */
function wayOf(name) {
  if (PICTURE.test(name)) return "tokens";
  return STACKED.test(name) ? "stacked" : "upright";
}

/** @param {Store} store @param {{rows: string, cols: string}} called @param {Margin} margin */
function axisTitle(store, { rows, cols }, margin) {
  const stacked = margin.cols !== "none";
  const title = h(
    "span",
    { class: stacked ? "axes stacked" : "axes" },
    h("span", { class: `axis-${colorOf(cols)}` }, `${store.t(`axis.${cols}`)} →`),
    h("span", { class: `axis-${colorOf(rows)}` }, `${store.t(`axis.${rows}`)} ↓`),
  );
  if (stacked) title.style.cssText = `width:${margin.left - 4}px;height:${margin.top - 3}px`;
  else title.style.left = `${margin.shift}px`;
  return title;
}

/** @param {HTMLElement} box @param {import("./heatmap.js").Lit} lit */
export function lightLabels(box, lit) {
  for (const label of box.children) {
    const { row, col } = /** @type {HTMLElement} */ (label).dataset;
    const on = (row !== undefined && lit.rows.has(Number(row))) || (col !== undefined && lit.cols.has(Number(col)));
    label.classList.toggle("lit", on);
  }
}

/** Numbers as a real table: every header cell says whether it names a column or a row. */

import { h } from "./dom.js";

/** @typedef {import("./dom.js").Child} Child */

/**
 * @typedef {Object} Column
 * @property {Child | Child[]} name
 * @property {number} span columns that it names
 */

/** @typedef {Child | Column} Head null: the corner above the rows' names */

/**
 * @typedef {Object} Row
 * @property {Child | Child[]} name
 * @property {Child[]} cells a `<td>` stays as it is
 * @property {string | null} [class]
 */

/**
 * @param {Object} parts
 * @param {Child} [parts.caption]
 * @param {string} [parts.captionClass] "hidden": for screen readers alone
 * @param {string} [parts.class]
 * @param {Head[][]} parts.columns lines of header cells, each from the left edge on; none: no head
 * @param {Row[][]} parts.bodies rows that belong together
 */
export function dataTable({ caption, captionClass, columns, bodies, ...attributes }) {
  return h(
    "table",
    attributes,
    caption && h("caption", { class: captionClass }, caption),
    columns.length > 0 && h("thead", {}, columns.map(line)),
    bodies.map((rows) => h("tbody", {}, rows.map(row))),
  );
}

/** @param {Head[]} names */
const line = (names) => h("tr", {}, names.map(column));

/** @param {Head} head */
function column(head) {
  if (head === null) return h("td");
  if (typeof head !== "object" || !("span" in head)) return h("th", { scope: "col" }, /** @type {Child} */ (head));
  return h("th", { scope: "colgroup", colspan: head.span }, head.name);
}

/** @param {Row} row */
function row({ name, cells, ...attributes }) {
  return h("tr", attributes, h("th", { scope: "row" }, name), cells.map(cell));
}

/** @param {Child} content */
const cell = (content) => (content instanceof HTMLTableCellElement ? content : h("td", {}, content));

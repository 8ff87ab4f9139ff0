/** HTML tables whose header cells have a scope. */

import { h } from "./dom.js";

/** @typedef {import("./dom.js").Child} Child */

/**
 * @typedef {Object} Column
 * @property {Child | Child[]} name
 * @property {number} span number of columns
 */

/** @typedef {Child | Child[] | Column} Head null is the empty corner; a `<td>` stays as it is */

/**
 * @typedef {Object} Line
 * @property {Head[]} heads
 * @property {string} [class]
 * @property {"true"} [aria-hidden]
 */

/**
 * @typedef {Object} Row
 * @property {Child | Child[]} name
 * @property {(Child | Child[])[]} cells a `<td>` stays as it is
 * @property {string | null} [class]
 */

/**
 * @param {Object} parts @param {Child} [parts.caption]
 * @param {string} [parts.captionClass] "hidden": for screen readers only @param {string} [parts.class]
 * @param {(Head[] | Line)[]} parts.columns header lines
 * @param {Row[][]} parts.bodies
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

/** @param {Head[] | Line} of */
function line(of) {
  const { heads, ...attributes } = Array.isArray(of) ? { heads: of } : of;
  return h("tr", attributes, heads.map(column));
}

/** @param {Head} head */
function column(head) {
  if (head === null) return h("td");
  if (head instanceof HTMLTableCellElement) return head;
  const { name, span } = isColumn(head) ? head : { name: head, span: 1 };
  return h("th", span > 1 ? { scope: "colgroup", colspan: span } : { scope: "col" }, name);
}

/** @param {Head} head */
const isColumn = (head) => head !== null && typeof head === "object" && "span" in head;

/** @param {Row} row */
function row({ name, cells, ...attributes }) {
  return h("tr", attributes, h("th", { scope: "row" }, name), cells.map(cell));
}

/** @param {Child | Child[]} content */
const cell = (content) => (content instanceof HTMLTableCellElement ? content : h("td", {}, content));

import { h } from "./dom.js";

/**
 * @param {Object} parts @param {Child} [parts.caption]
 * @param {string} [parts.captionClass] "hidden": only for screen readers @param {string} [parts.class]
 * @param {"no"} [parts.translate] @param {(Table.Head[] | Table.Line)[]} parts.columns header rows
 * @param {Table.Row[][]} parts.bodies
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

/** @param {Table.Head[] | Table.Line} of */
function line(of) {
  const { heads, ...attributes } = Array.isArray(of) ? { heads: of } : of;
  return h("tr", attributes, heads.map(column));
}

/** @param {Table.Head} head */
function column(head) {
  if (head === null) return h("td");
  if (head instanceof HTMLTableCellElement) return head;
  const { name, span } = isColumn(head) ? head : { name: head, span: 1 };
  return h("th", span > 1 ? { scope: "colgroup", colspan: span } : { scope: "col" }, name);
}

/** @param {Table.Head} head */
const isColumn = (head) => head !== null && typeof head === "object" && "span" in head;

/** @param {Table.Row} row */
function row({ name, cells, ...attributes }) {
  return h("tr", attributes, h("th", { scope: "row" }, name), cells.map(cell));
}

/** @param {Child | Child[]} content */
const cell = (content) => (content instanceof HTMLTableCellElement ? content : h("td", {}, content));

import assert from "node:assert/strict";
import test from "node:test";
import { dataTable } from "../../../static/js/lib/data-table.js";
import { h } from "../../../static/js/lib/dom.js";
import { newDocument } from "../support/document.js";

newDocument();

test("header cells say what they name, numbers are cells", () => {
  const table = dataTable({
    class: "facts",
    caption: "Norms",
    captionClass: "hidden",
    columns: [[null, "k", "v"]],
    bodies: [[{ name: "the", cells: [1, 2], class: "own" }]],
  });
  assert.equal(
    table.outerHTML,
    '<table class="facts"><caption class="hidden">Norms</caption>' +
      '<thead><tr><td></td><th scope="col">k</th><th scope="col">v</th></tr></thead>' +
      '<tbody><tr class="own"><th scope="row">the</th><td>1</td><td>2</td></tr></tbody></table>',
  );
});

test("a name may span columns, rows may belong together, and a cell may come ready", () => {
  const table = dataTable({
    columns: [[{ name: "error", span: 2 }]],
    bodies: [[{ name: "a", cells: [h("td", { class: "closed" }, "–")] }], [{ name: ["b", "c"], cells: [] }]],
  });
  assert.equal(
    table.outerHTML,
    '<table><thead><tr><th scope="colgroup" colspan="2">error</th></tr></thead>' +
      '<tbody><tr><th scope="row">a</th><td class="closed">–</td></tr></tbody>' +
      '<tbody><tr><th scope="row">bc</th></tr></tbody></table>',
  );
});

test("a table without columns has no head", () => {
  assert.equal(dataTable({ columns: [], bodies: [[]] }).outerHTML, "<table><tbody></tbody></table>");
});

test("a line of the head may have attributes and a cell that comes ready, and a name of one column spans none", () => {
  const axes = [null, h("td", {}, "0 … 1")];
  const table = dataTable({
    columns: [[null, { name: "error", span: 1 }], { class: "powers", "aria-hidden": "true", heads: axes }],
    bodies: [],
  });
  assert.equal(
    table.outerHTML,
    '<table><thead><tr><td></td><th scope="col">error</th></tr>' +
      '<tr class="powers" aria-hidden="true"><td></td><td>0 … 1</td></tr></thead></table>',
  );
});

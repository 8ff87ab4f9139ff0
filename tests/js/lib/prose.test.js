import assert from "node:assert/strict";
import test from "node:test";
import { prose } from "../../../static/js/lib/prose.js";
import { newDocument } from "../support/document.js";

newDocument();

test("text and formulas stay, and another element becomes its text", () => {
  const nodes = prose("d is <math><mi>d</mi></math>, <b onclick='x'>not</b> 2");
  const kinds = nodes.map((node) => (node instanceof Element ? node.localName : node.textContent));
  assert.deepEqual(kinds, ["d is ", "math", ", ", "not", " 2"]);
  assert.equal(nodes[1].textContent, "d");
});

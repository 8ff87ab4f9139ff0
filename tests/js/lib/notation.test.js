import assert from "node:assert/strict";
import test from "node:test";
import { SYMBOLS, shapeText, typeset } from "../../../static/js/lib/notation.js";
import { newDocument } from "../support/document.js";

newDocument();
/** @param {any} node @returns {node is Element} */
const isElement = (node) => node.nodeType === Node.ELEMENT_NODE;

test("a shape is its sizes with a cross between them", () => {
  assert.equal(shapeText([2, 5, 64]), "2 × 5 × 64");
  assert.equal(shapeText([7]), "7");
});

test("the letter of a matrix or a bias is set low, and the text around it stays", () => {
  const nodes = typeset("x W_Q + b_Q is q");
  assert.equal(nodes.map(({ textContent }) => textContent).join(""), "x WQ + bQ is q");
  const low = nodes
    .filter(isElement)
    .flatMap((node) => [...node.children].map((child) => [child.localName, child.textContent]));
  assert.deepEqual(low, [
    ["sub", "Q"],
    ["sub", "Q"],
  ]);
});

test("what only looks like a matrix stays a text", () => {
  for (const text of ["d_k", "W_q", "w_Q", "head_outputs", ""]) {
    assert.ok(typeset(text).every((node) => !isElement(node)));
  }
});

test("every matrix that is written has letters that can be set low", () => {
  for (const text of Object.values(SYMBOLS)) assert.ok(typeset(text).some(isElement));
});

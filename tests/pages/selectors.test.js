import { JSDOM } from "jsdom";
import assert from "node:assert/strict";
import test from "node:test";
import { addBrowserParts } from "./support/browser-parts.js";

const HTML = `<!doctype html><html lang="en"><body class="a b">
  <main id="top" class="a"><p class="b a-b" title="">one<span data-at="1" class="x"></span></p><p>two</p></main>
  <div id="top-2" class="a  b"><ul><li class="x" data-at="2"><a href="#top" title="to the top">top</a></li><li hidden></li></ul></div>
  <svg viewBox="0 0 1 1"><g class="x"><path d="M0 0"/></g></svg>
  <form><label for="field">A</label><input id="field" type="text" disabled><label>B <select><option>1</option></select></label>
    <input type="hidden" id="secret"><label for="secret">C</label></form></body></html>`;
const SELECTORS = [
  ...[
    "*",
    "p",
    "path",
    "#top",
    "#none",
    ".a",
    ".a.b",
    ".a-b",
    "p.b",
    "p.b.a-b",
    "#top .x",
    "#top > p",
    "#top>p , li",
    "body ul .x",
  ],
  ...[
    "main p span",
    "main > span",
    "body > div > ul > li",
    "[title]",
    '[title=""]',
    "[data-at='2']",
    "[data-at=1]",
    "[href^='#']",
  ],
  ...['[href$="top"]', '[title*="the"]', '[title~="the"]', '[title~="th"]', "li:not([hidden])", "p:not(.b)"],
  ...[
    ".x:not(.a *)",
    ".x:not(g, li)",
    "input:disabled",
    "li:nth-child(2)",
    "p + p",
    "p ~ p",
    "[lang|=en]",
    " .x ",
    "svg .x > path",
  ],
  ...["#top.a p", "#top:not(.b) .x", "#top:not(.a, .b)", "#top, #top-2 li", "label[for]"],
];

/** A window as the tests of pages have it, or as jsdom makes it. */
function open(fast) {
  const { window } = new JSDOM(HTML);
  if (fast) addBrowserParts(window, []);
  return window.document;
}
const [fast, own] = [open(true), open(false)];
const index = (document) => [document, ...document.getElementsByTagName("*")];

test("a selector finds what it finds in jsdom, from every element", () => {
  const [here, there] = [index(fast), index(own)];
  for (const selector of SELECTORS)
    for (const [at, root] of here.entries()) {
      const other = there[at];
      const found = [...root.querySelectorAll(selector)].map((each) => here.indexOf(each));
      const wanted = [...other.querySelectorAll(selector)].map((each) => there.indexOf(each));
      assert.deepEqual(found, wanted, `${selector} in ${root.nodeName}`);
      assert.equal(here.indexOf(root.querySelector(selector)), wanted[0] ?? -1, selector);
      if (!at) continue;
      assert.equal(root.matches(selector), other.matches(selector), `${selector} of ${root.outerHTML}`);
      assert.equal(here.indexOf(root.closest(selector)), there.indexOf(other.closest(selector)), selector);
    }
});

test("a selector that is none fails", () => {
  for (const selector of ["", "p >", "[", "p)"])
    assert.throws(() => fast.querySelector(selector), { name: "SyntaxError" }, selector);
});

test("labels and controls belong together as in jsdom, also after a change", () => {
  const pairs = (document) => {
    const controls = [...document.querySelectorAll("input, select")];
    const labels = [...document.querySelectorAll("label")];
    return [
      controls.map(({ labels: all }) => [...(all ?? [])].map(({ textContent }) => textContent)),
      labels.map(({ control }) => control?.localName ?? null),
    ];
  };
  assert.deepEqual(pairs(fast), pairs(own));
  for (const document of [fast, own]) document.querySelector("label").setAttribute("for", "none");
  assert.deepEqual(pairs(fast), pairs(own));
});

test("a style follows its attribute, and the attribute its style", () => {
  const paragraph = fast.createElement("p");
  paragraph.setAttribute("style", "top: 1px");
  assert.equal(paragraph.style.top, "1px");
  paragraph.style.left = "2px";
  assert.equal(paragraph.getAttribute("style"), "top: 1px; left: 2px;");
  assert.equal(paragraph.cloneNode().style.left, "2px");
  paragraph.removeAttribute("style");
  assert.equal(paragraph.style.length, 0);
});

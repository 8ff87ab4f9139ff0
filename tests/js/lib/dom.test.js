import assert from "node:assert/strict";
import test from "node:test";
import { closeOutside, fill, find, h } from "../../../static/js/lib/dom.js";
import { newDocument } from "../support/elements.js";

const document = newDocument();

test("an element has its attributes: true is written empty, false and null are left out", () => {
  const element = h("input", { type: "text", disabled: true, checked: false, title: null, id: undefined, size: 3 });
  assert.deepEqual(Object.fromEntries(element.attributes), { type: "text", disabled: "", size: "3" });
});

test("a function under on… is a listener, and no attribute", () => {
  const pressed = [];
  const button = h("button", { onclick: (event) => pressed.push(event.type) });
  button.dispatchEvent({ type: "click" });
  assert.deepEqual(pressed, ["click"]);
  assert.equal(button.attributes.size, 0);
});

test("children are nodes, texts and numbers, singly or in lists; what is false is no child, but 0 is", () => {
  const inner = h("b", {}, "two");
  const element = h("p", {}, "one ", [inner, null, false], undefined, 0);
  assert.equal(element.textContent, "one two0");
  assert.equal(element.childNodes[1], inner);
  assert.equal(element.childNodes.length, 3);
});

test("filling takes away what was there", () => {
  const element = h("p", {}, "old");
  fill(element, "new", [h("i", {}, "er")]);
  assert.equal(element.textContent, "newer");
});

test("an element that the page promises and has not is an error that names it", () => {
  document.append(h("main", { class: "board" }));
  assert.equal(find(".board").localName, "main");
  assert.throws(() => find(".nowhere"), /no \.nowhere in the page/);
});

test("a menu closes by a press beside it, not by one inside", () => {
  const item = h("button");
  const menu = h("details", {}, h("summary"), item);
  menu.open = true;
  closeOutside(menu);
  document.dispatchEvent({ type: "pointerdown", target: item });
  assert.equal(menu.open, true);
  document.dispatchEvent({ type: "pointerdown", target: h("main") });
  assert.equal(menu.open, false);
});

test("Esc closes an open menu, gives the focus back and goes no further", () => {
  const summary = h("summary");
  const menu = h("details", {}, summary);
  closeOutside(menu);
  let stopped = 0;
  const press = (key) => menu.dispatchEvent({ type: "keydown", key, stopPropagation: () => (stopped += 1) });
  press("Escape");
  assert.deepEqual([stopped, summary.focused], [0, 0]); // a closed one leaves Esc to others
  menu.open = true;
  press("Enter");
  assert.equal(menu.open, true);
  press("Escape");
  assert.deepEqual([menu.open, stopped, summary.focused], [false, 1, 1]);
});

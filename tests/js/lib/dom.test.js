import assert from "node:assert/strict";
import test from "node:test";
import { fill, find, h, isVisible } from "../../../static/js/lib/dom.js";
import { newDocument } from "../support/document.js";

const document = newDocument();
const attributesOf = ({ attributes }) => Object.fromEntries([...attributes].map(({ name, value }) => [name, value]));

test("an element has its attributes: true is written empty, false and null are left out", () => {
  const element = h("input", { type: "text", disabled: true, checked: false, title: null, id: undefined, size: 3 });
  assert.deepEqual(attributesOf(element), { type: "text", disabled: "", size: "3" });
});

test("a function under on… is a listener, and no attribute", () => {
  const pressed = [];
  const button = h("button", { onclick: (event) => pressed.push(event.type) });
  button.click();
  assert.deepEqual(pressed, ["click"]);
  assert.equal(button.attributes.length, 0);
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
  document.body.append(h("main", { class: "board" }));
  assert.equal(find(".board").localName, "main");
  assert.throws(() => find(".nowhere"), /no \.nowhere in the page/);
});

test("an element is visible as the browser says, or by its rectangles where the browser cannot say", () => {
  const element = h("p");
  element.getClientRects = () => [{}];
  element.checkVisibility = () => false; // in closed `details`
  assert.ok(!isVisible(element));
  element.checkVisibility = undefined; // Safari 17.3
  assert.ok(isVisible(element));
  element.getClientRects = () => [];
  assert.ok(!isVisible(element));
});

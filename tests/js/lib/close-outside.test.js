import assert from "node:assert/strict";
import test from "node:test";
import { closeOutside } from "../../../static/js/lib/close-outside.js";
import { h } from "../../../static/js/lib/dom.js";
import { newDocument } from "../support/document.js";

const document = newDocument();
const press = (element) => element.dispatchEvent(new MouseEvent("pointerdown", { bubbles: true }));

test("a menu closes by a press beside it, not by one inside", () => {
  const item = h("button");
  const menu = h("details", {}, h("summary"), item);
  menu.open = true;
  const beside = h("main");
  document.body.append(menu, beside);
  closeOutside(menu);
  press(item);
  assert.equal(menu.open, true);
  press(beside);
  assert.equal(menu.open, false);
});

test("Esc closes an open menu, gives the focus back and goes no further", () => {
  const summary = h("summary");
  const menu = h("details", {}, summary);
  document.body.append(menu);
  closeOutside(menu);
  const passed = [];
  document.body.addEventListener("keydown", ({ key }) => passed.push(key));
  const type = (key) => menu.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  type("Escape");
  assert.deepEqual(passed, ["Escape"]); // a closed one leaves Esc to others
  assert.notEqual(document.activeElement, summary);
  menu.open = true;
  type("Enter");
  assert.equal(menu.open, true);
  type("Escape");
  assert.deepEqual([menu.open, passed], [false, ["Escape", "Enter"]]);
  assert.equal(document.activeElement, summary);
});

test("Esc closes an open menu whose pressed summary has no focus, and reaches nothing else", () => {
  const menu = h("details", {}, h("summary"));
  const beside = h("input");
  document.body.append(menu, beside);
  const passed = [];
  document.body.addEventListener("keydown", ({ target }) => passed.push(target));
  closeOutside(menu);
  const type = (target) => target.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
  menu.open = true;
  type(beside);
  assert.equal(menu.open, true);
  type(document.body);
  assert.equal(menu.open, false);
  assert.deepEqual(passed, [beside]);
});

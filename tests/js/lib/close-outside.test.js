import assert from "node:assert/strict";
import test from "node:test";
import { closeOutside } from "../../../static/js/lib/close-outside.js";
import { h } from "../../../static/js/lib/dom.js";
import { newDocument } from "../support/elements.js";

const document = newDocument();

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

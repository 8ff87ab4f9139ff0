import assert from "node:assert/strict";
import test from "node:test";
import { newDocument } from "../support/document.js";
import { h } from "../../../static/js/lib/dom.js";
import { makeSlots } from "../../../static/js/lib/slots.js";

newDocument();

test("who draws and who adds have the same element, whichever asks first", () => {
  const slots = makeSlots();
  slots("cell").append("added");
  assert.equal(h("div", {}, "drawn ", slots("cell")).textContent, "drawn added");
  assert.notEqual(slots("large"), slots("cell"));
});

test("another page has slots of its own", () => {
  assert.notEqual(makeSlots()("cell"), makeSlots()("cell"));
});

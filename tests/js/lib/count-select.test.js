import assert from "node:assert/strict";
import test from "node:test";
import { offerIndices } from "../../../static/js/lib/count-select.js";
import { makeSelect } from "../../../static/js/lib/select.js";
import { newDocument } from "../support/document.js";

newDocument();

test("so many places are offered by name, and the present one is shown", () => {
  const menu = makeSelect(() => {});
  offerIndices(menu, 3, 1, (at) => `head ${at}`);
  assert.deepEqual(
    [...menu.options].map(({ text }) => text),
    ["head 0", "head 1", "head 2"],
  );
  assert.equal(menu.value, "1");
});

test("what is offered already stays: an open menu is not made anew", () => {
  const menu = makeSelect(() => {});
  offerIndices(menu, 2, 0, (at) => `head ${at}`);
  const before = [...menu.children];
  offerIndices(menu, 2, 1, (at) => `head ${at}`);
  assert.deepEqual([menu.children[0] === before[0], menu.value], [true, "1"]);
  offerIndices(menu, 2, 1, (at) => `layer ${at}`);
  assert.equal(menu.options[0].text, "layer 0");
  offerIndices(menu, 1, 0, (at) => `layer ${at}`);
  assert.equal(menu.options.length, 1);
});

import assert from "node:assert/strict";
import test from "node:test";
import { choice, offer } from "../../../static/js/lib/select.js";
import { count } from "../../../static/js/lib/count-select.js";
import { newDocument } from "../support/document.js";

newDocument();

test("a choice is told by its value", () => {
  const chosen = [];
  const menu = choice((value) => chosen.push(value));
  offer(menu, ["max", "mean"], null, String);
  menu.value = "mean";
  menu.dispatchEvent(new Event("change"));
  assert.deepEqual(chosen, ["mean"]);
});

test("so many places are offered by name, and the present one is shown", () => {
  const menu = choice(() => {});
  count(menu, 3, 1, (at) => `head ${at}`);
  assert.deepEqual(
    [...menu.options].map(({ text }) => text),
    ["head 0", "head 1", "head 2"],
  );
  assert.equal(menu.value, "1");
});

test("what is offered already stays: an open menu is not made anew", () => {
  const menu = choice(() => {});
  count(menu, 2, 0, (at) => `head ${at}`);
  const before = [...menu.children];
  count(menu, 2, 1, (at) => `head ${at}`);
  assert.deepEqual([menu.children[0] === before[0], menu.value], [true, "1"]);
  count(menu, 2, 1, (at) => `layer ${at}`);
  assert.equal(menu.options[0].text, "layer 0");
  count(menu, 1, 0, (at) => `layer ${at}`);
  assert.equal(menu.options.length, 1);
});

test("values are offered by name; the same names with other values are offered anew", () => {
  const menu = choice(() => {}, { "aria-label": "way" });
  offer(menu, ["mean", "max"], "max", (word) => word.toUpperCase());
  assert.deepEqual(
    [...menu.options].map(({ text, value }) => [text, value]),
    [
      ["MEAN", "mean"],
      ["MAX", "max"],
    ],
  );
  assert.deepEqual([menu.value, menu.getAttribute("aria-label")], ["max", "way"]);
  offer(menu, [1, 2], null, () => "head");
  assert.equal(menu.value, "1"); // no value is chosen: the first is shown
  offer(menu, [3, 4], 4, () => "head");
  assert.deepEqual(
    [...menu.options].map(({ value }) => value),
    ["3", "4"],
  );
});

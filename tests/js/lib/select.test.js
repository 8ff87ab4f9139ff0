import assert from "node:assert/strict";
import test from "node:test";
import { makeSelect, setOptions } from "../../../static/js/lib/select.js";
import { newDocument } from "../support/document.js";

newDocument();

test("a choice is shown by its value", () => {
  const chosen = [];
  const menu = makeSelect((value) => chosen.push(value));
  setOptions(menu, ["max", "mean"], null, String);
  menu.value = "mean";
  menu.dispatchEvent(new Event("change"));
  assert.deepEqual(chosen, ["mean"]);
});

test("values are offered by name; the same names with other values are offered anew", () => {
  const menu = makeSelect(() => {}, { "aria-label": "way" });
  setOptions(menu, ["mean", "max"], "max", (word) => word.toUpperCase());
  assert.deepEqual(
    [...menu.options].map(({ text, value }) => [text, value]),
    [
      ["MEAN", "mean"],
      ["MAX", "max"],
    ],
  );
  assert.deepEqual([menu.value, menu.getAttribute("aria-label")], ["max", "way"]);
  setOptions(menu, [1, 2], null, () => "head");
  assert.equal(menu.value, "1"); // no value is chosen: the first is shown
  setOptions(menu, [3, 4], 4, () => "head");
  assert.deepEqual(
    [...menu.options].map(({ value }) => value),
    ["3", "4"],
  );
});

import assert from "node:assert/strict";
import test from "node:test";
import { order, placesInRow } from "../../../static/js/core/token-order.js";
import { newDocument } from "../support/document.js";

const document = newDocument();
globalThis.getComputedStyle ??= () => ({ columnGap: "5px" });

test("a row of tokens takes the direction of its first word, and each token its own", () => {
  const root = document.createElement("ol");
  const labels = [" שלום", " big", " 12"].map((text) => ({ text, index: null }));
  root.append(...labels.map(() => document.createElement("li")));
  const row = { root, part: { from: 0, to: 3 }, turn: null };
  order(row, labels, { from: 0, to: 3 });
  assert.equal(row.turn, null); // others are written by now, if as many
  order(row, labels, row.part);
  row.turn();
  assert.equal(root.dir, "rtl");
  assert.deepEqual(
    [...root.children].map(({ dir }) => dir),
    ["rtl", "ltr", "ltr"],
  );
});

test("in one row each token has its place from where reading begins; Latin words keep their order", () => {
  const of = (text) => placesInRow(text.split("|").map((each) => ({ text: each, index: null })));
  const turned = [true, false, false, false];
  assert.deepEqual(of("שלום| on| the| mat"), { right: true, places: [0, 3, 2, 1], turned });
  assert.deepEqual(of("see| שלום| עולם| now"), {
    right: false,
    places: [0, 2, 1, 3],
    turned: [false, true, true, false],
  });
  assert.equal(of("on| the| mat"), null);
  const special = of("[CLS]|שלום|on|[SEP]"); // of the text's first word
  assert.deepEqual([special.right, special.places], [true, [0, 1, 2, 3]]);
});

import assert from "node:assert/strict";
import test from "node:test";
import { TokenInput } from "../../../static/js/sentence/token-input.js";
import { answerOf } from "../support/made.js";
import { newDocument } from "../support/document.js";
import { storeOf } from "../support/state.js";

const document = newDocument();
const WEIGHTS = [
  [1, 0],
  [0.2, 0.8],
];
const answer = answerOf({ weights: [[WEIGHTS]] }, { tokens: [["a", "b"]], lengths: [2], shape: { n: 2, m: 2 } });

function rowOf(axis) {
  const root = document.createElement("ol");
  root.innerHTML = '<li data-at="0" tabindex="-1">a</li><li data-at="1" tabindex="-1">b</li>';
  document.body.append(root);
  const row = { root, axis, store: storeOf("cat", {}, { answer }), count: 2, itemOf: (at) => root.children[at] };
  new TokenInput(row);
  return row;
}

const on = (item, name) => item.dispatchEvent(new MouseEvent(name, { bubbles: true }));

test("a token under the pointer lights the cell of its largest weight", () => {
  const { root, store } = rowOf("query");
  on(root.children[1], "pointerover");
  assert.deepEqual(store.get().pointed, { axis: "query", at: 1 });
  assert.deepEqual(store.get().hover, { stage: "weights", row: 1, col: 1 });
  on(root, "pointerleave");
  assert.deepEqual([store.get().pointed, store.get().hover], [null, null]);
});

test("a click pins that cell, a second one unpins it; beside the tokens it does nothing", () => {
  const { root, store } = rowOf("key");
  on(root.children[0], "click");
  assert.deepEqual(store.get().view.cell, { stage: "weights", row: 0, col: 0 });
  on(root, "click");
  assert.notEqual(store.get().view.cell, null);
  on(root.children[0], "click");
  assert.equal(store.get().view.cell, null);
});

test("arrow keys move to the next token", () => {
  const { root, store } = rowOf("query");
  root.children[0].focus();
  root.children[0].dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
  assert.deepEqual([store.get().pointed, document.activeElement], [{ axis: "query", at: 1 }, root.children[1]]);
});

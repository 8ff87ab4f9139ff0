import assert from "node:assert/strict";
import test from "node:test";
import { cellAnnouncer } from "../../../static/js/matrix/announce-cell.js";
import { answerOf } from "../support/made.js";
import { newDocument } from "../support/document.js";
import { page } from "../support/sent.js";
import { storeOf } from "../support/state.js";

const document = newDocument();
const SHUT = -Infinity;
const MADE = {
  weights: [
    [
      [
        [1, 0],
        [0.25, 0.75],
      ],
    ],
  ],
  masked_scores: [
    [
      [
        [1, SHUT],
        [1, 2],
      ],
    ],
  ],
};

function say(hover) {
  const root = document.createElement("p");
  const store = storeOf("cat", { precision: 2 }, { answer: answerOf(MADE) });
  const part = cellAnnouncer(root, store);
  const before = store.get();
  store.set({ hover });
  part.update(store.get(), before);
  return { root, part };
}
const cell = (row, col, keys = true) => ({ stage: "weights", row, col, keys });

test("the cell under the keys is said with its stage, its tokens and its number", () => {
  const { root } = say(cell(1, 0));
  assert.equal(root.textContent, `${page.messages["stage.weights"]}, cat → the: 0.25`);
  assert.equal(root.getAttribute("aria-live"), "polite");
});

test("a masked cell is said to be so", () => {
  assert.match(say(cell(0, 1)).root.textContent, new RegExp(`: ${page.messages["legend.masked"]}$`));
});

test("a pointer says nothing, nor does leaving", () => {
  assert.equal(say(cell(1, 0, false)).root.textContent, "");
  assert.equal(say(null).root.textContent, "");
});

test("what is taken down is silent", () => {
  const { root, part } = say(cell(1, 0));
  part.destroy();
  assert.equal(root.textContent, "");
});

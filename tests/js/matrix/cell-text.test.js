import assert from "node:assert/strict";
import test, { describe } from "node:test";
import { stageOf } from "../../../static/js/core/page.js";
import { formatCell, placeOf } from "../../../static/js/matrix/cell-text.js";
import { answerOf } from "../support/made.js";
import { page } from "../support/sent.js";
import { storeOf } from "../support/state.js";

describe("number text", () => {
  const store = storeOf("cat"); // the cat saw the dog
  const stage = (name) => stageOf(page, name);

  test("a closed cell is −∞ before the softmax, a weight of nothing after it, and blank elsewhere", () => {
    const write = (name, value) => formatCell(store, stage(name), value, 2);
    assert.equal(write("masked_scores", null), "−∞");
    assert.equal(write("scaled_scores", -Infinity), "−∞");
    assert.equal(write("weights", null), page.messages["cell.masked"]);
    assert.equal(write("q", null), "–");
    assert.equal(write("q", -1.5), "−1.50");
  });

  test("a difference has its sign", () => {
    const difference = { ...stage("weights"), kind: "difference" };
    const write = (value) => formatCell(store, difference, value, 2);
    assert.deepEqual([0.25, -0.25, 0, null].map(write), ["+0.25", "−0.25", "0.00", "–"]);
  });
});

describe("cell place", () => {
  const store = storeOf("cat"); // the cat saw the dog
  const state = store.get();

  test("a cell of a map is query → key, another is token · feature", () => {
    assert.equal(placeOf(store, state, { stage: "weights", row: 1, col: 2 }), "cat → saw");
    assert.equal(placeOf(store, state, { stage: "q", row: 1, col: 2 }), "cat · d_k 2");
  });

  test("a name that runs from right to left keeps to itself", () => {
    const answer = answerOf({}, { tokens: [["שלום", "cat"]] });
    const place = placeOf(store, { ...state, answer }, { stage: "weights", row: 0, col: 1 });
    assert.equal(place, "\u2068שלום\u2069 → cat");
  });
});

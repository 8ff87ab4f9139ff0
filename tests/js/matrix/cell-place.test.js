import assert from "node:assert/strict";
import test from "node:test";
import { placeOf } from "../../../static/js/matrix/cell-place.js";
import { answerOf } from "../support/made.js";
import { storeOf } from "../support/state.js";

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

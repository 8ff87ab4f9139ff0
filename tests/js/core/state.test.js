import assert from "node:assert/strict";
import test from "node:test";
import { unshown } from "../../../static/js/core/address/address.js";
import * as core from "../../../static/js/core/state.js";
import { openAddress } from "../support/address-bar.js";
import { answerOf } from "../support/made.js";
import { answer, page } from "../support/sent.js";
import { stateOf } from "../support/state.js";

const { asksHeadCount, shownStages, initialState, clampView, isBare } = core;
const { repeatsOutput, hasSameNumbers, selection, mayPrefetch } = core;

test("a state begins as its address says, in the theme that is painted, and without numbers", () => {
  openAddress("/?text=a%20cat&head=2&nonsense=1");
  document.documentElement.dataset.theme = "dark";
  const { question, view, ignored, answer: none, status, theme } = initialState(page);
  assert.deepEqual([question.text, view.head, ignored], ["a cat", 2, ["nonsense=1"]]);
  assert.deepEqual([none, status, theme], [null, "asking", "dark"]);
});

test("what the page was opened for has come when the answer is there, and every head where they are shown", () => {
  const state = stateOf("cat");
  assert.equal(mayPrefetch(state), true);
  assert.equal(mayPrefetch({ ...state, status: "slow" }), false);
  const heads = { ...state, view: { ...state.view, tab: "heads" } };
  assert.equal(mayPrefetch(heads), false);
  assert.equal(mayPrefetch({ ...heads, every: {} }), true);
  assert.equal(mayPrefetch({ ...heads, status: "failed", answer: null }), true);
});

test("a page is bare where there is a reason for it, not while it waits", () => {
  const state = { ...stateOf("cat"), answer: null };
  assert.equal(isBare({ ...state, status: "asking" }), false);
  assert.equal(isBare({ ...state, status: "empty" }), true);
  assert.equal(isBare({ ...state, status: "no_upload" }), true);
  assert.equal(isBare({ ...state, status: "failed", problem: new Error() }), true);
  assert.equal(isBare({ ...stateOf("cat"), status: "failed", problem: new Error() }), false);
});

test("files that lack their number of heads are asked for it while the model is to be theirs", () => {
  const uploadProblem = { errors: [{ at: "num_heads" }] };
  const state = { uploading: false, uploadProblem, question: { model: { source: "uploaded" } } };
  assert.equal(asksHeadCount(state), true);
  assert.equal(asksHeadCount({ ...state, uploading: true }), false);
  assert.equal(asksHeadCount({ ...state, uploadProblem: { errors: [] } }), false);
  assert.equal(asksHeadCount({ ...state, uploadProblem: null }), false);
  assert.equal(asksHeadCount({ ...state, question: { model: { source: "seeded" } } }), false);
});

test("the block output repeats the output of one layer of attention alone", () => {
  assert.equal(repeatsOutput({ answer: answer("cat") }), true);
  for (const name of ["layers", "block", "induction"])
    assert.equal(repeatsOutput({ answer: answer(name) }), false, name);
  assert.equal(repeatsOutput({ answer: answerOf({}, { holds: ["attention", "mlp"] }) }), false);
  assert.equal(repeatsOutput({ answer: null }), false);
});

const names = (name) => shownStages(page, { answer: name && answer(name) }).map((stage) => stage.name);

test("a card is in sight where its stage says something of its own", () => {
  const every = page.stages.map(({ name }) => name);
  const alone = every.filter((name) => name !== "block_output");
  assert.deepEqual(names(null), alone);
  assert.deepEqual(names("cat"), alone);
  assert.deepEqual(names("layers"), every);
  assert.deepEqual(names("cross"), ["x", "context", ...alone.slice(1)]);
});

test("the same numbers are seen with the same answer, sentence, layer and head, whatever else changes", () => {
  const state = stateOf("cat");
  assert.equal(hasSameNumbers({ ...state, view: { ...state.view, precision: 8 } }, state), true);
  for (const name of ["batch", "layer", "head"])
    assert.equal(hasSameNumbers({ ...state, view: { ...state.view, [name]: 1 } }, state), false);
  assert.equal(hasSameNumbers({ ...state, answer: answer("cat") }, state), false);
  assert.equal(hasSameNumbers(state), false);
  assert.deepEqual(selection(stateOf("cat", { head: 1 })), { batch: 0, layer: 0, head: 1 });
});

test("what is looked at is brought inside the answer", () => {
  const far = stateOf("layers", { batch: 4, layer: 7, head: 9 }); // one sentence, two layers, two heads
  const { batch, layer, head } = clampView(far, answer("layers"));
  assert.deepEqual([batch, layer, head], [0, 1, 1]);
});

test("a pinned cell beyond the end is let go, one inside stays, and so does one that no answer carries", () => {
  const cellAfter = (cell) => clampView(stateOf("cat", { cell }), answer("cat")).cell;
  const inside = { stage: "weights", row: 4, col: 4 };
  assert.equal(cellAfter(inside), inside);
  assert.equal(cellAfter({ stage: "weights", row: 5, col: 0 }), null);
  assert.equal(cellAfter({ stage: "q", row: 0, col: 4 }), null); // d_k is 4
  const parameter = { stage: "w_q", row: 900, col: 0 };
  assert.equal(cellAfter(parameter), parameter);
});

test("picked tokens beyond the end of their axis are let go", () => {
  const pickedAfter = (name, picked, view = {}) => clampView(stateOf(name, { ...view, picked }), answer(name)).picked;
  const pick = (axis, ...at) => ({ axis, at });
  const inside = pick("key", 0, 4);
  assert.equal(pickedAfter("cat", inside), inside);
  assert.equal(pickedAfter("cat", pick("key", 0, 5)), null);
  // Two tokens attend to four, and in layers of self-attention to two.
  const endsAfter = (name, layer, axis, tokens) => {
    assert.notEqual(pickedAfter(name, pick(axis, tokens - 1), { layer }), null);
    assert.equal(pickedAfter(name, pick(axis, tokens), { layer }), null);
  };
  endsAfter("cross", 0, "query", 2);
  endsAfter("cross", 0, "key", 4);
  endsAfter("decoder", 0, "key", 2);
  endsAfter("decoder", 1, "key", 4);
});

test("chosen heads that the model lacks are let go", () => {
  const heads = [
    [0, 1],
    [9, 9],
    [0, 7],
  ];
  const state = stateOf("cat", { head: 0, heads });
  const inside = clampView(state, answer("cat"));
  assert.deepEqual(inside.heads, [[0, 1]]);
  assert.deepEqual(unshown(state.view, inside), ["heads=9.9_0.7"]);
});

test("where all of it is inside, the view stays the same object", () => {
  const state = stateOf("cat", { head: 1 });
  assert.equal(clampView(state, answer("cat")), state.view);
});

import assert from "node:assert/strict";
import test from "node:test";
import { isLong } from "../../../static/js/core/state.js";
import { isTooLong, longestText } from "../../../static/js/core/longest-text.js";
import { stateOf } from "../support/state.js";

const SHORT = stateOf("cat");

/** The same of a text whose maps are whole up to so many tokens. */
function long(whole_tokens, view = {}) {
  const answer = { ...SHORT.answer, reply: { ...SHORT.answer.reply, whole_tokens } };
  return { ...SHORT, answer, view: { ...SHORT.view, ...view } };
}

test("a reply says whether its text is too long for whole maps", () => {
  assert.deepEqual(
    [isLong({ answer: null }), isLong(SHORT), isLong(long(0)), isLong(long(900))],
    [false, false, true, true],
  );
});

test("what works with every tab is a round number of tokens, well below what has whole maps", () => {
  assert.deepEqual(
    [4096, 2003, 612, 90, 7].map((whole) => longestText(long(whole))),
    [2400, 1200, 360, 54, 4],
  );
});

test("where a shorter text does not help there is no such number, and a short one needs none", () => {
  assert.equal(longestText(long(0)), 0);
  assert.equal(longestText(SHORT), null);
});

test("a long text is kept from what reckons with whole maps, and from nothing else", () => {
  const shut = ["stages", "heads", "lines", "map", "gradients", "parameters", "worth", "decode"];
  assert.deepEqual(
    shut.filter((tab) => isTooLong(tab, long(900))),
    ["gradients", "parameters", "worth", "decode"],
  );
  assert.equal(isTooLong("gradients", SHORT), false);
});

test("a text whose maps are whole may be too long for its gradients alone", () => {
  const answer = { ...SHORT.answer, reply: { ...SHORT.answer.reply, gradient_tokens: 1415 } };
  const state = { ...SHORT, answer };
  assert.deepEqual(
    ["stages", "gradients", "parameters", "lab"].filter((tab) => isTooLong(tab, state)),
    ["gradients"],
  );
  assert.equal(longestText(state), 1300);
});

test("of the laboratory the costs are left, which are reckoned from sizes", () => {
  assert.equal(isTooLong("lab", long(900, { lab: "linear" })), true);
  assert.equal(isTooLong("lab", long(900, { lab: "costs" })), false);
});

import assert from "node:assert/strict";
import test from "node:test";
import { namingMetric, nameTexts, strongestOf } from "../../../static/js/core/head-names.js";
import { page } from "../support/sent.js";
import { storeOf } from "../support/state.js";

test("a head is named after the metric that stands out, with its figure", () => {
  assert.deepEqual(namingMetric(page, { previous: 0.97, first: 0.1, own: 0.02 }), { name: "previous", value: 0.97 });
  const induction = { entropy: 3, distance: 7, previous: 0.2, first: 0.2, induction: 0.93 };
  assert.deepEqual(namingMetric(page, induction), { name: "induction", value: 0.93 });
  assert.deepEqual(namingMetric(page, { own: 0.5 }), { name: "own", value: 0.5 });
});

test("what a head does elsewhere takes no name from what it does where tokens repeat", () => {
  assert.deepEqual(namingMetric(page, { induction: 0.87, own: 0.62 }), { name: "induction", value: 0.87 });
  assert.deepEqual(namingMetric(page, { duplicate_token: 0.8, own: 0.7 }), { name: "duplicate_token", value: 0.8 });
});

test("weights that count for two metrics give no name: the token after a copy may be the one before", () => {
  assert.equal(namingMetric(page, { induction: 0.9, previous: 0.95 }), null);
  assert.equal(namingMetric(page, { duplicate_token: 0.8, first: 0.9 }), null);
});

test("one has no name where none stands out, or two do", () => {
  assert.equal(namingMetric(page, { previous: 0.49, first: 0.2, own: 0.1 }), null);
  assert.equal(namingMetric(page, { previous: 0.55, first: 0.42 }), null);
  assert.equal(namingMetric(page, { previous: null, first: 0, own: null, induction: null }), null);
  assert.equal(namingMetric(page, undefined), null);
});

test("a name is written with its figure, and says how it is measured and from where on it is given", () => {
  const store = storeOf("cat");
  const { text, about } = nameTexts(store, { induction: 0.914, previous: 0.1 });
  assert.equal(text, "induction 0.91");
  for (const word of ["followed those copies", "0.5", "1.5", "not a claim"]) assert.ok(about.includes(word), word);
  assert.deepEqual(nameTexts(store, { first: 0.3 }), { text: "", about: "" });
});

test("of many heads the clearest one is shown, and none that leaves its weight on the first token", () => {
  const metrics = [
    { layer: 0, head: 0, first: 0.99 },
    { layer: 4, head: 1, previous: 0.7 },
    { layer: 7, head: 2, induction: 0.8, own: 0.4 },
    { layer: 8, head: 0, previous: 0.45 },
  ];
  assert.equal(strongestOf(page, metrics), metrics[2]);
  const own = { layer: 9, head: 1, own: 0.95 };
  assert.equal(strongestOf(page, [...metrics, own]), metrics[2]);
  assert.equal(strongestOf(page, [metrics[0], own]), own);
  assert.equal(strongestOf(page, [metrics[0], metrics[3]]), undefined);
  assert.equal(strongestOf(page, []), undefined);
});

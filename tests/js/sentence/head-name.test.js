import assert from "node:assert/strict";
import test from "node:test";
import { nameOfHead } from "../../../static/js/sentence/head-name.js";

test("a head is named after the metric that stands out, with its figure", () => {
  assert.deepEqual(nameOfHead({ previous: 0.97, first: 0.1, own: 0.02 }), { name: "previous", value: 0.97 });
  assert.deepEqual(nameOfHead({ previous: 0.2, first: 0.2, own: 0.1, induction: 0.93 }), {
    name: "induction",
    value: 0.93,
  });
});

test("one has no name where none stands out, or two do", () => {
  assert.equal(nameOfHead({ previous: 0.3, first: 0.2, own: 0.1 }), null);
  assert.equal(nameOfHead({ previous: 0.45, first: 0.42, own: 0.1 }), null);
  assert.equal(nameOfHead({ previous: null, first: 0, own: null, induction: null }), null);
  assert.equal(nameOfHead(undefined), null);
});

import assert from "node:assert/strict";
import test from "node:test";
import { newDocument } from "../support/document.js";

newDocument();
const { matcher } = await import("../../../static/js/models/tensor-search.js");

const NAMES = ["h.0.attn.c_attn.weight", "h.0.attn.c_attn.bias", "h.10.ATTN.c_proj.weight", "wte.weight"];

test("a name is found by every word that is typed, in any order and either case", () => {
  const found = (text) => NAMES.filter(matcher(text));
  assert.deepEqual(found("attn weight"), [NAMES[0], NAMES[2]]);
  assert.deepEqual(found("  Weight  h.10"), [NAMES[2]]);
  assert.deepEqual(found("c_attn.b"), [NAMES[1]]);
  assert.deepEqual(found("attn query"), []);
});

test("nothing typed leaves every name", () => {
  assert.deepEqual(NAMES.filter(matcher(" ")), NAMES);
});

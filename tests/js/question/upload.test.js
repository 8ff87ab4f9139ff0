import assert from "node:assert/strict";
import test from "node:test";
import { lacks } from "../../../static/js/question/upload.js";

const named = (...names) => ({ has_embedding: names.includes("embedding"), tensors: names.map((name) => ({ name })) });

test("what a file does not have is read off its names", () => {
  const [bare, whole] = [named("w_q", "w_k", "w_v"), named("w_q", "w_k", "w_v", "w_o", "b_o", "embedding")];
  assert.deepEqual(lacks(bare), { embedding: true, w_o: true });
  assert.deepEqual(lacks(whole), { embedding: false, w_o: false });
  const layers = [0, 11].flatMap((layer) => ["w_q", "w_k", "w_v", "w_o"].map((name) => `layers.${layer}.${name}`));
  assert.equal(lacks(named(...layers)).w_o, false);
  assert.equal(lacks(named(...layers.filter((name) => !name.endsWith("w_o")))).w_o, true);
});

test("of a file whose names were mapped nothing is said of w_o", () => {
  assert.equal(lacks(named("w_q", "w_k", "w_v", "attn.proj.weight")).w_o, false);
  assert.equal(lacks(named("a.query", "a.key", "a.value")).w_o, false);
});

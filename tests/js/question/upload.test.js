import assert from "node:assert/strict";
import test from "node:test";
import { missingTensors } from "../../../static/js/question/upload.js";

const named = (...names) => ({ has_embedding: names.includes("embedding"), tensors: names.map((name) => ({ name })) });

test("what a file does not have is read off its names", () => {
  const [bare, whole] = [named("w_q", "w_k", "w_v"), named("w_q", "w_k", "w_v", "w_o", "b_o", "embedding")];
  assert.deepEqual(missingTensors(bare), { embedding: true, w_o: true });
  assert.deepEqual(missingTensors(whole), { embedding: false, w_o: false });
  const layers = [0, 11].flatMap((layer) => ["w_q", "w_k", "w_v", "w_o"].map((name) => `layers.${layer}.${name}`));
  assert.equal(missingTensors(named(...layers)).w_o, false);
  assert.equal(missingTensors(named(...layers.filter((name) => !name.endsWith("w_o")))).w_o, true);
});

test("of a file whose names were mapped nothing is said of w_o", () => {
  assert.equal(missingTensors(named("w_q", "w_k", "w_v", "attn.proj.weight")).w_o, false);
  assert.equal(missingTensors(named("a.query", "a.key", "a.value")).w_o, false);
});

import assert from "node:assert/strict";
import test from "node:test";
import { inLayer, patternsOf } from "../../../static/js/models/tensor-patterns.js";

const tensor = (name, ...shape) => ({ name, shape, dtype: "float32" });

test("tensors of every layer are one pattern, with the layers that have it, in order", () => {
  const names = ["h.10.attn.weight", "h.2.attn.weight", "wte.weight", "h.2.ln_1.bias"];
  const found = patternsOf(names.map((name, at) => tensor(name, at + 1)));
  assert.deepEqual(
    found.map(({ pattern, layers, shape }) => [pattern, layers, shape]),
    [
      ["h.{i}.attn.weight", [2, 10], [1]],
      ["wte.weight", [], [3]],
      ["h.{i}.ln_1.bias", [2], [4]],
    ],
  );
});

test("a number inside a word is no layer, and of several numbers the first is", () => {
  const [plain, nested] = patternsOf([tensor("conv1d.w2"), tensor("a.3.experts.5.w")]);
  assert.deepEqual([plain.pattern, plain.layers], ["conv1d.w2", []]);
  assert.deepEqual([nested.pattern, nested.layers], ["a.{i}.experts.5.w", [3]]);
});

test("a pattern in a layer is the tensor's name again", () => {
  assert.equal(inLayer("h.{i}.attn.weight", 10), "h.10.attn.weight");
  assert.equal(inLayer("wte.weight", 3), "wte.weight");
});

import assert from "node:assert/strict";
import test from "node:test";
import {
  blank,
  candidates,
  proposeRoles,
  sizesOf,
  wholeTensor,
  inLayer,
  patternsOf,
} from "../../../static/js/models/roles.js";

const pattern = (name, ...shape) => ({ pattern: name, layers: [0], shape, dtype: "float32" });
const whole = (name, transpose) => ({ pattern: name, transpose, axis: null });
const said = ({ pattern: name, transpose, axis, from, to }) =>
  axis === null ? { pattern: name, transpose, axis } : { pattern: name, transpose, axis, from, to };

test("matrices that stand alone are shown by their names, turned where torch.nn.Linear keeps them", () => {
  const at = "layers.{i}.self_attn.";
  const names = ["q_proj", "k_proj", "v_proj", "o_proj"].map((name) => pattern(`${at}${name}.weight`, 8, 8));
  const choices = proposeRoles([pattern("embed.weight", 100, 8), ...names, pattern(`${at}q_proj.bias`, 8)]);
  ["q", "k", "v", "o"].forEach((letter) => {
    assert.deepEqual(said(choices[`w_${letter}`]), whole(`${at}${letter}_proj.weight`, true));
  });
  assert.deepEqual(said(choices.b_q), whole(`${at}q_proj.bias`, false));
  assert.deepEqual(choices.b_k, blank());
});

test("GPT-2 keeps q, k and v as columns of one matrix that is not turned", () => {
  const weight = "h.{i}.attn.c_attn.weight";
  const bias = "h.{i}.attn.c_attn.bias";
  const choices = proposeRoles([
    pattern(weight, 8, 24),
    pattern(bias, 24),
    pattern("h.{i}.attn.c_proj.weight", 8, 8),
    pattern("h.{i}.mlp.c_proj.weight", 32, 8),
  ]);
  const part = (at) => ({ transpose: false, from: 8 * at, to: 8 * (at + 1) });
  ["q", "k", "v"].forEach((letter, at) => {
    assert.deepEqual(said(choices[`w_${letter}`]), { pattern: weight, axis: 1, ...part(at) });
    assert.deepEqual(said(choices[`b_${letter}`]), { pattern: bias, axis: 0, ...part(at) });
  });
  assert.deepEqual(said(choices.w_o), whole("h.{i}.attn.c_proj.weight", false));
});

test("a fused torch.nn.Linear is cut in rows; what is left of them is shared by k and v", () => {
  const choices = proposeRoles([pattern("a.{i}.Wqkv.weight", 40, 24)]);
  const rows = ["w_q", "w_k", "w_v"].map((role) => [choices[role].from, choices[role].to, choices[role].axis]);
  assert.deepEqual(rows, [[0, 24, 0], [24, 32, 0], [32, 40, 0]]); // prettier-ignore
  assert.equal(choices.w_k.transpose, true);
});

test("nn.MultiheadAttention keeps one bias beside matrices of their own, which is cut by their widths", () => {
  const parts = ["q", "k", "v"].map((letter) => pattern(`attn.${letter}_proj_weight`, 8, 8));
  const choices = proposeRoles([pattern("attn.in_proj_bias", 24), ...parts, pattern("attn.out_proj.weight", 8, 8)]);
  ["q", "k", "v"].forEach((letter, at) => {
    assert.deepEqual(said(choices[`w_${letter}`]), whole(`attn.${letter}_proj_weight`, true));
    const cut = { pattern: "attn.in_proj_bias", transpose: false, axis: 0, from: 8 * at, to: 8 * (at + 1) };
    assert.deepEqual(said(choices[`b_${letter}`]), cut);
  });
  const other = proposeRoles([pattern("attn.in_proj_bias", 30), ...parts]);
  assert.deepEqual(other.b_q, blank());
});

test("what is kept head by head is not proposed: its thirds would be wrong", () => {
  assert.deepEqual(proposeRoles([pattern("h.{i}.query_key_value.weight", 24, 8)]).w_q, blank());
});

test("a role is chosen among what has its number of axes", () => {
  const all = [pattern("a", 3, 3), pattern("b", 3), pattern("c", 3, 3, 3), { ...pattern("e", 9, 3), layers: [] }];
  const names = (role) => candidates(all, role).map((each) => each.pattern);
  assert.deepEqual([names("w_k"), names("b_o"), names("embedding")], [["a", "e"], ["b"], ["e"]]);
});

test("a part is taken first and turned then; one that is not there has no sizes", () => {
  const choice = { ...wholeTensor(pattern("x.weight", 40, 24)), axis: 0, from: 24, to: 32 };
  assert.deepEqual(sizesOf(choice, [40, 24]), [24, 8]);
  assert.deepEqual(sizesOf({ ...choice, axis: null }, [40, 24]), [24, 40]);
  for (const [from, to] of [
    [0, 41],
    [8, 8],
    [9, 8],
    [-1, 3],
    [0.5, 3],
    [NaN, 3],
  ])
    // prettier-ignore
    assert.equal(sizesOf({ ...choice, from, to }, [40, 24]), null);
});

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

import assert from "node:assert/strict";
import test from "node:test";
import * as core from "../../../static/js/core/page.js";
import { answer, cells, page } from "../support/sent.js";

const { stagesOn, formulaOf, has, headAxis, isCausal, isMap, allStages, letterOf, sides, stageOf } = core;
const stage = (name) => stageOf(page, name);

test("a stage, a parameter and an operand are allStages by name, anything else is an error", () => {
  for (const name of ["x", "weights", "w_q", "context"]) assert.equal(stage(name).name, name);
  assert.throws(() => stage("no_such"), /no stage no_such/);
  const names = allStages(page).map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
});

test("the context has its picture beside x, and an MLP before the output of its block", () => {
  const names = stagesOn(page).map(({ name }) => name);
  assert.deepEqual(names.slice(0, 3), ["x", "context", "q"]);
  assert.deepEqual(names.slice(-6), ["middle", "hidden", "gate", "activated", "mlp_output", "block_output"]);
  assert.equal(names.length, page.stages.length + 6);
});

test("only cross-attention has a context", () => {
  assert.deepEqual(
    [has(answer("cross"), "context"), has(answer("cat"), "context"), has(null, "context")],
    [true, false, false],
  );
  assert.equal(has(null, "weights"), true);
});

test("a picture's rows and columns are a stage's last two axes", () => {
  assert.deepEqual(sides(stage("weights")), { rows: "query", cols: "key" });
  assert.deepEqual(sides(stage("k")), { rows: "key", cols: "d_k" });
  assert.deepEqual(sides({ axes: ["d_k"] }), { rows: "none", cols: "d_k" });
});

test("what has a cell for each query and key is a map", () => {
  const maps = page.stages.filter(isMap).map(({ name }) => name);
  assert.deepEqual(maps, ["scores", "scaled_scores", "masked_scores", "weights"]);
  assert.equal(isMap({ axes: ["key", "key"] }), true);
});

test("q has heads, k and v have key and value heads, x has none", () => {
  assert.deepEqual(
    ["q", "k", "v", "weights", "x", "concat", "w_q"].map((name) => headAxis(stage(name))),
    ["head", "kv_head", "kv_head", "head", null, null, null],
  );
});

test("axes are written as formulas write them", () => {
  assert.deepEqual(["query", "key", "d_model"].map(letterOf), ["n", "m", "d_model"]);
});

for (const name of ["cat", "layers", "cross", "block", "given", "open", "induction"]) {
  test(`the formulas of an answer are those that its server writes: ${name}`, () => {
    const [asked, made] = [answer(name), cells(name)];
    for (const layer of asked.reply.shape.num_layers > 1 ? [0, 1] : [0])
      for (const each of page.stages) {
        const { formula, mathml } = made[layer][each.name];
        assert.deepEqual(formulaOf(each, { answer: asked, view: { layer } }), { formula, mathml }, each.name);
      }
  });
}

test("the formula of an answer is the variant with most of what holds of it, the usual one before it is there", () => {
  const formulas = { none: "bare", "none context": "of two texts", "pre_norm mlp": "a block", later: "above" };
  const variants = Object.fromEntries(
    Object.entries(formulas).map(([when, mathml]) => [when, { formula: when, mathml }]),
  );
  const stage = { variants, formula: "usual", mathml: "as ever" };
  const at = (layer, answer) => formulaOf(stage, { answer, view: { layer } }).mathml;
  const of = (...holds) => at(0, { reply: { holds } });
  assert.equal(of("attention", "sqrt_d_k"), "as ever");
  assert.equal(of("none"), "bare");
  assert.equal(of("context", "none"), "of two texts");
  assert.equal(of("context"), "as ever");
  assert.equal(of("pre_norm"), "as ever");
  assert.equal(of("mlp", "pre_norm", "none"), "a block");
  assert.equal(at(1, { reply: { holds: ["attention"] } }), "above");
  assert.equal(at(1, null), "as ever");
});

test("a question is causal as it says, else as its model on the server is, else as seeded ones are", () => {
  const installed = [
    { name: "encoder", causal: false },
    { name: "writer", causal: true },
  ];
  const ask = (name, causal) => isCausal({ ...page, installed }, { causal, model: { source: "installed", name } });
  assert.deepEqual(
    [ask("encoder", null), ask("encoder", true), ask("writer", null), ask("writer", false)],
    [false, true, true, false],
  );
  assert.equal(isCausal(page, { causal: null, model: { source: "seeded" } }), true);
});

test("where a model takes no mean off, its formulas say RMS", () => {
  const upright = (word) => [...word].map((letter) => `<mi mathvariant="normal">${letter}</mi>`).join("");
  const [LN, RMS] = [upright("LN"), upright("RMS")];
  const norm = page.operands.find(({ name }) => name === "normed_x");
  assert.ok(norm.mathml.includes(LN), "as the server typesets it");
  const stage = { variants: { pre_norm: { formula: "LN(x) w", mathml: LN } }, formula: "x", mathml: "x" };
  const of = (...holds) => formulaOf(stage, { answer: { reply: { holds } }, view: { layer: 0 } });
  assert.deepEqual(of("pre_norm"), { formula: "LN(x) w", mathml: LN });
  assert.deepEqual(of("pre_norm", "rms"), { formula: "RMS(x) w", mathml: RMS });
});

test("a gate is there where the MLP is gated", () => {
  const of = (...holds) => has({ reply: { holds } }, "gate");
  assert.deepEqual([of("mlp"), of("mlp", "gated"), of("gated")], [false, true, false]);
});

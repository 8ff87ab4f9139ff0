import assert from "node:assert/strict";
import test from "node:test";
import { decode } from "../../../static/js/lib/safetensors.js";
import { contentsOf } from "../../../static/js/models/file-tensors.js";
import { checkRoles, layersOf, mappingOf, filesOf } from "../../../static/js/models/mapping.js";
import { blank, proposeRoles, wholeTensor } from "../../../static/js/models/roles.js";
import { safetensorsFile } from "./files.js";

const every = [0, 1, 2];
const pattern = (name, shape, layers = every) => ({ pattern: name, layers, shape, dtype: "float32" });
const LLAMA = [
  pattern("l.{i}.q_proj.weight", [768, 768]),
  pattern("l.{i}.k_proj.weight", [256, 768]),
  pattern("l.{i}.v_proj.weight", [256, 768]),
  pattern("l.{i}.o_proj.weight", [768, 768]),
];
const draft = (patterns = LLAMA, more = {}) => ({
  choices: proposeRoles(patterns), patterns, heads: 12, first: 0, last: 2, ...more,
}); // prettier-ignore
const said = (of, role) => {
  const { key, values, wrong } = checkRoles(of)[role];
  return [key.replace("models.", ""), values, wrong];
};

test("the shapes are worked out as the server will: heads, key/value heads, and what they become", () => {
  assert.deepEqual(said(draft(), "w_q"), ["sum.q", { d_model: 768, heads: 12, d_k: 64 }, false]);
  assert.deepEqual(said(draft(), "w_k"), ["sum.k", { kv: 4, d_k: 64 }, false]);
  assert.deepEqual(said(draft(), "w_v"), ["sum.v", { kv: 4, d_v: 64 }, false]);
  assert.deepEqual(said(draft(), "w_o"), ["sum.o", { heads: 12, d_v: 64, columns: 768 }, false]);
  assert.deepEqual(said(draft(), "b_q"), ["sum.none", {}, false]);
});

test("without a number of heads the sizes alone are shown", () => {
  assert.deepEqual(said(draft(LLAMA, { heads: null }), "w_k"), ["sum.size", { rows: 768, columns: 256 }, false]);
});

test("what does not fit is said with its numbers", () => {
  assert.deepEqual(said(draft(LLAMA, { heads: 7 }), "w_q"), ["wrong.heads", { columns: 768, heads: 7 }, true]);
  assert.deepEqual(said(draft(LLAMA, { heads: 2 }), "w_k"), ["wrong.kv", { columns: 256, d_k: 384, heads: 2 }, true]);
  const turned = draft();
  turned.choices.w_k = { ...turned.choices.w_k, transpose: false };
  assert.deepEqual(said(turned, "w_k"), ["wrong.rows", { rows: 256, d_model: 768 }, true]);
  const cut = draft();
  cut.choices.w_o = { ...cut.choices.w_o, axis: 1, from: 0, to: 700 };
  assert.deepEqual(said(cut, "w_o"), ["wrong.o", { rows: 700, heads: 12, d_v: 64, width: 768 }, true]);
  cut.choices.w_o = { ...cut.choices.w_o, to: 769 };
  assert.deepEqual(said(cut, "w_o"), ["wrong.part", { size: 768 }, true]);
  cut.choices.w_v = blank();
  assert.deepEqual(said(cut, "w_v"), ["wrong.none", {}, true]);
});

test("keys and values of another width are named as what they are", () => {
  const widths = { q_proj_weight: [24, 24], k_proj_weight: [24, 16], v_proj_weight: [24, 32], in_proj_bias: [72] };
  const of = draft(Object.entries(widths).map(([name, shape]) => pattern(`l.{i}.${name}`, shape)));
  assert.deepEqual(said(of, "w_k"), ["wrong.other_width", { rows: 16, d_model: 24 }, true]);
  assert.deepEqual(said(of, "w_v"), ["wrong.other_width", { rows: 32, d_model: 24 }, true]);
  assert.deepEqual(said(of, "b_v"), ["sum.bias", { size: 24, name: "w_v" }, false]);
});

test("a bias has a number for each column of its matrix", () => {
  const bias = pattern("l.{i}.k_proj.bias", [256]);
  assert.deepEqual(said(draft([...LLAMA, bias]), "b_k"), ["sum.bias", { size: 256, name: "w_k" }, false]);
  const other = draft([...LLAMA, bias]);
  other.choices.b_q = wholeTensor(bias);
  assert.deepEqual(said(other, "b_q"), ["wrong.bias", { size: 256, name: "w_q", columns: 768 }, true]);
  other.choices.w_k = blank();
  assert.deepEqual(said(other, "b_k"), ["wrong.alone", { name: "w_k" }, true]);
});

test("an embedding is as wide as the model", () => {
  const table = pattern("table", [1000, 768], []);
  const of = draft([...LLAMA, table]);
  of.choices.embedding = wholeTensor(table);
  assert.deepEqual(said(of, "embedding"), ["sum.embedding", { rows: 1000, columns: 768 }, false]);
  of.choices.embedding = { ...wholeTensor(table), transpose: true };
  assert.equal(said(of, "embedding")[0], "wrong.embedding");
  assert.deepEqual(mappingOf(of).embedding, { tensor: "table", transpose: true });
});

test("a layer that a tensor lacks is named, unless it is not read", () => {
  const short = [...LLAMA.slice(0, 3), pattern("l.{i}.o_proj.weight", [768, 768], [0, 1])];
  assert.deepEqual(said(draft(short), "w_o"), ["wrong.layer", { layer: 2 }, true]);
  assert.equal(said(draft(short, { last: 1 }), "w_o")[2], false);
});

test("the mapping names each tensor of each layer that is read, counted from 0", () => {
  const some = draft(LLAMA, { first: 1 });
  assert.deepEqual(layersOf(some), [1, 2]);
  const mapping = mappingOf(some);
  assert.equal(Object.keys(mapping).length, 8);
  assert.deepEqual(mapping["layers.0.w_q"], { tensor: "l.1.q_proj.weight", transpose: true });
  assert.deepEqual(mapping["layers.1.w_o"], { tensor: "l.2.o_proj.weight", transpose: true });
});

test("a part is a slice of the tensor as it lies in the file; one layer without a number has bare names", () => {
  const fused = [pattern("attn.c_attn.weight", [8, 24], []), pattern("attn.c_attn.bias", [24], [])];
  assert.deepEqual(mappingOf(draft(fused)), {
    w_q: { tensor: "attn.c_attn.weight", transpose: false, slice: [null, [0, 8]] },
    w_k: { tensor: "attn.c_attn.weight", transpose: false, slice: [null, [8, 16]] },
    w_v: { tensor: "attn.c_attn.weight", transpose: false, slice: [null, [16, 24]] },
    b_q: { tensor: "attn.c_attn.bias", transpose: false, slice: [[0, 8]] },
    b_k: { tensor: "attn.c_attn.bias", transpose: false, slice: [[8, 16]] },
    b_v: { tensor: "attn.c_attn.bias", transpose: false, slice: [[16, 24]] },
  });
});

const LIMITS = { max_header_bytes: 1000, max_json_bytes: 1000, max_tensors: 10 };
const A = { q: ["F32", [2, 1]], unused: ["F32", [50]], k: ["F64", [1]] };

test("of several files the tensors that are used are one file, with their own bytes", async () => {
  const files = [
    safetensorsFile("a.safetensors", A, { num_heads: "2", format: "pt" }),
    safetensorsFile("b.safetensors", { v: ["F32", [1]] }),
  ];
  const { tensors, metadata } = await contentsOf(files, LIMITS);
  const used = tensors.filter(({ name }) => name !== "unused");
  const [sent, ...more] = filesOf(used, metadata, "mine");
  assert.deepEqual([sent.name, more], ["mine.safetensors", []]);
  const found = decode(await sent.arrayBuffer());
  assert.deepEqual(found.metadata, { num_heads: "2" });
  assert.deepEqual([...found.tensors.keys()], ["q", "k", "v"]);
  for (const [at, { name }] of used.entries()) {
    const { file, begin, end } = used[at];
    const bytes = new Uint8Array(await file.slice(begin, end).arrayBuffer());
    const { values } = found.tensors.get(name);
    assert.deepEqual(new Uint8Array(values.buffer.slice(values.byteOffset, values.byteOffset + bytes.length)), bytes);
  }
  const whole = decode(await files[0].arrayBuffer());
  assert.deepEqual(found.tensors.get("k"), whole.tensors.get("k"));
});

test("a file that is no .safetensors goes whole, and once", () => {
  const file = new File(["{}"], "w.json");
  const tensors = ["w_q", "w_k"].map((name) => ({ name, shape: [1], dtype: "float64", file }));
  assert.deepEqual(filesOf(tensors, {}, "mine"), [file]);
});

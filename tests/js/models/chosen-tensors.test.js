import assert from "node:assert/strict";
import test from "node:test";
import { decode } from "../../../static/js/lib/safetensors.js";
import { filesOf } from "../../../static/js/models/chosen-tensors.js";
import { contentsOf } from "../../../static/js/models/file-tensors.js";
import { safetensorsFile } from "./files.js";

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

import assert from "node:assert/strict";
import test from "node:test";
import { Unreadable, contentsOf } from "../../../static/js/models/file-tensors.js";
import { safetensorsFile } from "./files.js";

const LIMITS = { max_header_bytes: 1000, max_json_bytes: 1000, max_tensors: 3 };
const rowsOf = ({ tensors }) => tensors.map(({ name, shape, dtype }) => [name, shape, dtype]);
const refuses = (files, key, limits = LIMITS) =>
  assert.rejects(contentsOf(files, limits), (error) => error instanceof Unreadable && error.key === `models.${key}`);

test("the tensors of shards, and what is shown beside them", async () => {
  const one = safetensorsFile("a.safetensors", { q: ["BF16", [2, 3]] }, { num_heads: "2" });
  const other = safetensorsFile("b.safetensors", { k: ["F32", [4]], scalar: ["F8_E4M3", []] });
  const found = await contentsOf([one, other], LIMITS);
  assert.deepEqual(rowsOf(found), [["q", [2, 3], "bfloat16"], ["k", [4], "float32"], ["scalar", [], "F8_E4M3"]]); // prettier-ignore
  assert.deepEqual(found.metadata, { num_heads: "2" });
  assert.equal(found.vocab, false);
  const [q] = found.tensors;
  assert.equal(q.end - q.begin, 12);
  assert.equal(q.file, one);
});

test("no more than a header is read of a file, and none that claims to be too long", async () => {
  const file = safetensorsFile("a.safetensors", { q: ["F32", [2, 3]] });
  const read = [];
  const slice = file.slice.bind(file);
  file.slice = (...span) => (read.push(span[1]), slice(...span));
  const [q] = (await contentsOf([file], LIMITS)).tensors;
  assert.ok(Math.max(...read) <= q.begin);
  await refuses([file], "broken", { ...LIMITS, max_header_bytes: 10 });
  await refuses([new File([await file.slice(0, 30).arrayBuffer()], "cut.safetensors")], "broken");
  await refuses([new File([await file.slice(0, q.end - 1).arrayBuffer()], "cut.safetensors")], "broken");
});

test("numbers that are written out have the sizes of their rows", async () => {
  const file = new File([JSON.stringify({ w_q: [[1, 2, 3]], b_q: [1, 2], vocab: ["a"], num_heads: 2 })], "w.json");
  const found = await contentsOf([file], LIMITS);
  assert.deepEqual(rowsOf(found), [["w_q", [1, 3], "float64"], ["b_q", [2], "float64"]]); // prettier-ignore
  assert.equal(found.vocab, true);
  await refuses([file], "json_too_large", { ...LIMITS, max_json_bytes: 10 });
});

test("what is read nowhere is said by its kind", async () => {
  await refuses([new File(["\x80\x02}"], "pytorch_model.bin")], "pickle");
  await refuses([new File(["GGUF"], "a.gguf")], "format");
  await refuses([new File([""], "empty.safetensors")], "format");
  await refuses([new File(["{"], "w.json")], "broken");
  await refuses([new File(["PK\x03\x04"], "w.npz")], "broken");
  await refuses([new File(["{}"], "w.json")], "no_tensors");
});

test("too many tensors are refused, and one that comes twice", async () => {
  const many = (names) => safetensorsFile("a.safetensors", Object.fromEntries(names.map((n) => [n, ["F32", [1]]])));
  await refuses([many(["a", "b"]), many(["c", "d"])], "too_many_tensors");
  await refuses([many(["a"]), many(["a"])], "name_twice");
});

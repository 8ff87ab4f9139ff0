import assert from "node:assert/strict";
import test from "node:test";
import { formOf, wholeOf } from "../../../static/js/models/whole-files.js";

const file = (name, size = 3) => new File(["x".repeat(size)], name);
const config = { model_type: "gpt2", architecture: "GPT2Model", heads: 3 };
const names = ({ files }) => files.map(({ field, file: { name } }) => `${field} ${name}`);
const [own, tokenizer, one, two] = ["config.json", "tokenizer.json", "a.safetensors", "b.safetensors"].map((name) =>
  file(name),
);

test("weights with their config and tokenizer are a whole model of a family that is known", () => {
  const found = wholeOf([own, tokenizer, one, two], [one, two], config, ["bert", "gpt2"]);
  assert.deepEqual(names(found), [
    "weights a.safetensors",
    "weights b.safetensors",
    "config config.json",
    "tokenizer tokenizer.json",
  ]);
  assert.deepEqual([found.kind, found.bytes], ["gpt2", 12]);
  const form = formOf(found, "tiny", []);
  assert.deepEqual([form.getAll("weights").length, form.get("name"), form.has("accept")], [2, "tiny", false]);
  assert.equal(formOf(found, "tiny", ["attn_temperature"]).get("accept"), '["attn_temperature"]');
});

test("without one of them, of another family or in another format they are not", () => {
  const families = ["gpt2"];
  assert.equal(wholeOf([own, one], [one], config, families), null);
  assert.equal(wholeOf([tokenizer, one], [one], null, families), null);
  assert.equal(wholeOf([own, tokenizer, one], [one], config, ["bert"]), null);
  const npz = file("a.npz");
  assert.equal(wholeOf([own, tokenizer, npz], [npz], config, families), null);
});

test("a .gguf file is a whole model by itself, and not beside other weights", () => {
  const gguf = file("tiny.gguf");
  assert.deepEqual(names(wholeOf([gguf], [gguf], null, [])), ["weights tiny.gguf"]);
  assert.deepEqual(names(wholeOf([gguf], [], null, [])), ["weights tiny.gguf"]);
  assert.equal(wholeOf([gguf, one], [one], null, []), null);
});

import assert from "node:assert/strict";
import test from "node:test";
import { configOf, titleOf, weightsOf } from "../../../static/js/models/checkpoint-files.js";

const file = (name, text = "") => new File([text], name);
const chosen = (...names) => weightsOf(names.map((name) => file(name))).map(({ name }) => name);

test("of a folder the weights are taken, and not what lies beside them", () => {
  const folder = ["README.md", "config.json", "tokenizer.json", "pytorch_model.bin"];
  assert.deepEqual(chosen(...folder, "m-1.safetensors", "m-2.safetensors"), ["m-1.safetensors", "m-2.safetensors"]);
  assert.deepEqual(chosen(...folder), ["pytorch_model.bin"]);
  assert.deepEqual(chosen("config.json", "w.json", "a.txt"), ["w.json"]);
  assert.deepEqual(chosen("README.md", "config.json"), []);
});

test("one file alone is what was meant, whatever it is called", () => {
  assert.deepEqual(chosen("model.gguf"), ["model.gguf"]);
});

test("config.json says the architecture, and the heads under the name that it has for them", async () => {
  const configFrom = (config) => configOf([file("a.npz"), file("config.json", config)]);
  const llama = { model_type: "llama", architectures: ["LlamaForCausalLM"], num_attention_heads: 32 };
  assert.deepEqual(await configFrom(JSON.stringify(llama)), {
    model_type: "llama",
    architecture: "LlamaForCausalLM",
    heads: 32,
  });
  assert.equal((await configFrom('{"n_head": 12}')).heads, 12);
  assert.deepEqual(await configFrom('{"num_heads": "many"}'), { model_type: "", architecture: "", heads: null });
  assert.equal(await configFrom("{"), null);
  assert.equal(await configFrom("null"), null);
  assert.equal(await configOf([file("a.npz")]), null);
});

test("a model is called after its folder, else after its file", () => {
  const [first] = [file("model-00001-of-2.safetensors")];
  assert.equal(titleOf([first]), "model-00001-of-2");
  Object.defineProperty(first, "webkitRelativePath", { value: "models/tiny/model-00001-of-2.safetensors" });
  assert.equal(titleOf([first]), "tiny");
});

import assert from "node:assert/strict";
import test, { describe } from "node:test";
import {
  configOf,
  titleOf,
  weightsOf,
  formOf,
  wholeOf,
  TooManyFiles,
  droppedFiles,
} from "../../../static/js/models/chosen-files.js";

describe("checkpoint files", () => {
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
});

describe("whole files", () => {
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
});

describe("dropped files", () => {
  let read = 0; // files that were looked at
  const fileEntry = (name) => ({ isFile: true, file: (give) => (read++, give(new File([name], name))) });
  const folder = (entries) => ({
    isFile: false,
    createReader() {
      let at = 0;
      return { readEntries: (give) => give(entries.slice(at, (at += 100))) };
    },
  });
  const item = (entry) => ({ kind: "file", webkitGetAsEntry: () => entry, getAsFile: () => null });
  const names = (count) => Array.from({ length: count }, (_, at) => `f${at}`);

  test("folders in folders are looked through, beside files", async () => {
    const inner = folder(names(150).map(fileEntry));
    const items = [item(folder([fileEntry("config.json"), inner])), item(fileEntry("a")), { kind: "string" }];
    const found = await droppedFiles({ items }, 1000);
    assert.deepEqual(
      found.map(({ name }) => name),
      ["config.json", ...names(150), "a"],
    );
  });

  test("a folder of ten thousand files is refused as soon as there are too many", async () => {
    read = 0;
    await assert.rejects(droppedFiles({ items: [item(folder(names(10_000).map(fileEntry)))] }, 1000), TooManyFiles);
    assert.equal(read, 1000);
  });

  test("entries are taken during the event of the drop, before anything is waited for", () => {
    let taken = 0;
    const items = ["a", "b"].map((name) => ({ ...item(null), webkitGetAsEntry: () => (taken++, fileEntry(name)) }));
    droppedFiles({ items }, 10);
    assert.equal(taken, 2);
  });

  test("where there are no entries the files themselves are taken", async () => {
    const file = new File(["x"], "x.npz");
    const items = [{ kind: "file", webkitGetAsEntry: () => null, getAsFile: () => file }];
    assert.deepEqual(await droppedFiles({ items }, 10), [file]);
  });
});

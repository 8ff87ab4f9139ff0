import assert from "node:assert/strict";
import test from "node:test";
import { chosenCapture } from "../../../static/js/captures/chosen-capture.js";
import { safetensorsFile } from "../models/files.js";

const LIMITS = { max_header_bytes: 1000, max_json_bytes: 1000, max_tensors: 3, max_files: 2 };

/** A .npy file as numpy writes it, without its numbers. */
function npy(name, shape) {
  const header = `{'descr': '<f4', 'fortran_order': False, 'shape': (${shape.join(", ")}), }`.padEnd(117) + "\n";
  return new File([Uint8Array.of(0x93), "NUMPY", Uint8Array.of(1, 0, header.length, 0), header], name);
}

test("captures are shown from models by their headers", async () => {
  const maps = safetensorsFile("run.safetensors", { attentions: ["F32", [2, 4, 5, 5]] });
  const found = await chosenCapture([maps], LIMITS);
  assert.equal(found.title, "run");
  assert.deepEqual(found.files, [maps]);
  assert.equal(found.capture.sizes.heads, 4);
  assert.equal(found.tokenizer, null);
  const tokenizer = new File(["{}"], "tokenizer.json");
  const ofIds = await chosenCapture([tokenizer, maps], LIMITS);
  assert.deepEqual([ofIds.files, ofIds.tokenizer], [[maps], tokenizer]);
  const loose = await chosenCapture([npy("layer7.npy", [4, 6, 6])], LIMITS);
  assert.deepEqual(loose.capture.sizes, { layers: 1, batch: 1, heads: 4, n: 6, m: 6 });
  for (const files of [
    [safetensorsFile("model.safetensors", { w_q: ["F32", [4, 4]] })],
    [maps, new File(["{}"], "config.json")],
    [npy("embedding.npy", [10, 4])],
    [new File(["broken"], "run.npz")],
    [new File(["a"], "text.txt")],
    [maps, maps, maps],
  ])
    assert.equal(await chosenCapture(files, LIMITS), null, files[0].name);
});

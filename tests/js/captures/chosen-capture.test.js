import assert from "node:assert/strict";
import test from "node:test";
import { chosenCapture, captureOf } from "../../../static/js/captures/chosen-capture.js";
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

const of = (shapes) => captureOf(Object.entries(shapes).map(([name, shape]) => ({ name, shape })));
const sizes = (layers, batch, heads, n, m = n) => ({ layers, batch, heads, n, m });

test("maps are a capture, whatever stands beside them", () => {
  for (const [shapes, expected] of [
    [{ attentions: [2, 4, 12, 12] }, sizes(2, 1, 4, 12)],
    [{ weights: [4, 12, 9] }, sizes(1, 1, 4, 12, 9)],
    [{ weights: [2, 3, 4, 12, 12], logits: [3, 12, 50] }, sizes(2, 3, 4, 12)],
    [{ "layers.0.weights": [4, 5, 5], "layers.1.weights": [4, 5, 5] }, sizes(2, 1, 4, 5)],
    [{ "layers.0.scores": [3, 4, 5, 5] }, sizes(1, 3, 4, 5)],
    [{ q: [2, 4, 12, 8], k: [2, 2, 10, 8], v: [2, 2, 10, 8], scale: [2] }, sizes(2, 1, 4, 12, 10)],
  ])
    assert.deepEqual(of(shapes), { sizes: expected, spare: 0 }, JSON.stringify(shapes));
  const steps = { "attentions.0.0": [1, 4, 3, 3], "attentions.1.0": [1, 4, 1, 4], "attentions.0.1": [1, 4, 3, 3] };
  assert.deepEqual(of({ ...steps, "attentions.1.1": [1, 4, 1, 4] }), { sizes: sizes(2, 1, 4, 4), spare: 1 });
});

test("matrices of weights are none", () => {
  for (const shapes of [
    { w_q: [6, 4], w_k: [6, 4], w_v: [6, 4] },
    { q: [24, 24], k: [24, 24], v: [24, 24] },
    { weights: [24, 24] },
    { q: [2, 4, 24, 8], k: [2, 4, 24, 8], embedding: [100, 24] },
    { q: [2, 4, 24, 8] },
    { w_o: [24, 24] },
  ])
    assert.equal(of(shapes), null, JSON.stringify(shapes));
});

import assert from "node:assert/strict";
import test from "node:test";
import { decode } from "../../../static/js/lib/safetensors.js";

/**
 * A file as the format's description has it.
 * @param {object} header
 * @param {Uint8Array} data
 * @param {number} [spaces] the header is padded with
 */
function file(header, data, spaces = 0) {
  const json = new TextEncoder().encode(JSON.stringify(header) + " ".repeat(spaces));
  const bytes = new Uint8Array(8 + json.length + data.length);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(json.length), true);
  bytes.set(json, 8);
  bytes.set(data, 8 + json.length);
  return bytes.buffer;
}

const DATA = new Uint8Array(new Float64Array([1.5, -2, Infinity]).buffer);
const ONE = { dtype: "F64", shape: [3, 1], data_offsets: [0, 24] };

test("a tensor has its shape and its numbers, wherever the header ends", () => {
  for (let spaces = 0; spaces < 8; spaces++) {
    const { shape, values } = decode(file({ one: ONE }, DATA, spaces)).tensors.get("one");
    assert.deepEqual(shape, [3, 1]);
    assert.deepEqual([...values], [1.5, -2, Infinity]);
  }
});

test("numbers that lie on their boundary are not copied", () => {
  const spaces = (8 - (JSON.stringify({ one: ONE }).length % 8)) % 8;
  const buffer = file({ one: ONE }, DATA, spaces);
  assert.equal(decode(buffer).tensors.get("one").values.buffer, buffer);
});

test("float32 and float64 stand in one file, in their order", () => {
  const data = new Uint8Array(20);
  data.set(new Uint8Array(new Float32Array([0.5, -0.25, 8]).buffer));
  data.set(new Uint8Array(new Float64Array([-1 / 3]).buffer), 12);
  const { tensors } = decode(
    file(
      {
        small: { dtype: "F32", shape: [3], data_offsets: [0, 12] },
        large: { dtype: "F64", shape: [1], data_offsets: [12, 20] },
      },
      data,
    ),
  );
  assert.deepEqual([...tensors.keys()], ["small", "large"]);
  assert.deepEqual([...tensors.get("small").values], [0.5, -0.25, 8]);
  assert.deepEqual([...tensors.get("large").values], [-1 / 3]);
});

test("what is said about the file is no tensor", () => {
  const { metadata, tensors } = decode(file({ __metadata__: { format: "np" }, one: ONE }, DATA));
  assert.deepEqual(metadata, { format: "np" });
  assert.deepEqual([...tensors.keys()], ["one"]);
  assert.deepEqual(decode(file({ one: ONE }, DATA)).metadata, {});
});

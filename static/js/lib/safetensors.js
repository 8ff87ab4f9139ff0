/** Reads safetensors: 8 bytes with the length of the header, the header as JSON, then the tensors. */

const KINDS = { F64: Float64Array, F32: Float32Array };

/** @param {ArrayBuffer} buffer @returns {{metadata: Record<string, string>, tensors: Map<string, Tensor>}} */
export function decode(buffer) {
  const length = Number(new DataView(buffer).getBigUint64(0, true));
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, length)));
  const { __metadata__: metadata = {}, ...entries } = header;
  const tensors = new Map();
  for (const [name, entry] of Object.entries(entries)) {
    tensors.set(name, { shape: entry.shape, values: view(buffer, 8 + length, entry) });
  }
  return { metadata, tensors };
}

/**
 * @param {ArrayBuffer} buffer @param {number} start
 * @param {{dtype: keyof typeof KINDS, data_offsets: [number, number]}} entry
 */
function view(buffer, start, entry) {
  const Kind = KINDS[entry.dtype];
  const [from, to] = entry.data_offsets.map((offset) => start + offset);
  const aligned = from % Kind.BYTES_PER_ELEMENT === 0;
  return aligned ? new Kind(buffer, from, (to - from) / Kind.BYTES_PER_ELEMENT) : new Kind(buffer.slice(from, to));
}

/** Small files of weights. */

const SIZES = { F64: 8, F32: 4, F16: 2, BF16: 2, F8_E4M3: 1 };

/**
 * @param {string} name
 * @param {Record<string, [string, number[]]>} tensors dtype and shape; their bytes count upwards
 * @param {Record<string, string>} [metadata]
 */
export function safetensorsFile(name, tensors, metadata) {
  let at = 0;
  const header = metadata ? { __metadata__: metadata } : {};
  for (const [tensor, [dtype, shape]] of Object.entries(tensors)) {
    const bytes = SIZES[dtype] * shape.reduce((product, size) => product * size, 1);
    header[tensor] = { dtype, shape, data_offsets: [at, (at += bytes)] };
  }
  const text = new TextEncoder().encode(JSON.stringify(header));
  const length = new DataView(new ArrayBuffer(8));
  length.setBigUint64(0, BigInt(text.length), true);
  return new File([length, text, Uint8Array.from({ length: at }, (_, byte) => byte)], name);
}

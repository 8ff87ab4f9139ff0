/** Builds files with only the chosen tensors of a checkpoint. */

/** @typedef {import("./file-tensors.js").Tensor} Tensor */

const KEPT = ["num_heads", "vocab"]; // metadata of the new file

/**
 * Tensors of .safetensors become one file; their data is not read. Other files stay whole.
 * @param {Tensor[]} tensors @param {Record<string, string>} metadata @param {string} title
 */
export function filesOf(tensors, metadata, title) {
  const placed = tensors.filter(({ begin }) => begin !== undefined);
  const others = new Set(tensors.filter(({ begin }) => begin === undefined).map(({ file }) => file));
  return [...(placed.length ? [joined(placed, metadata, title)] : []), ...others];
}

/** @param {Tensor[]} tensors @param {Record<string, string>} metadata @param {string} title */
function joined(tensors, metadata, title) {
  let at = 0;
  const about = Object.fromEntries(KEPT.filter((name) => name in metadata).map((name) => [name, metadata[name]]));
  const header = /** @type {Record<string, unknown>} */ (Object.keys(about).length ? { __metadata__: about } : {});
  const parts = tensors.map(({ name, shape, code, file, begin = 0, end = 0 }) => {
    header[name] = { dtype: code, shape, data_offsets: [at, (at += end - begin)] };
    return file.slice(begin, end);
  });
  const text = new TextEncoder().encode(JSON.stringify(header));
  const length = new DataView(new ArrayBuffer(8));
  length.setBigUint64(0, BigInt(text.length), true);
  return new File([length, text, ...parts], `${title}.safetensors`);
}

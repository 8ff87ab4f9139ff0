/** Tensors of every layer under one name: `h.0.attn.weight`, `h.1.attn.weight` … are `h.{i}.attn.weight`. */

/** @typedef {import("./file-tensors.js").Tensor} Tensor */
/** @typedef {{pattern: string, layers: number[], shape: number[], dtype: string}} Pattern no layers: a single tensor; the shape is that of the first */

const LAYER = /(?<![^.])\d+(?![^.])/; // the first number between dots

/** @param {Tensor[]} tensors @returns {Pattern[]} in the order of the files */
export function patternsOf(tensors) {
  /** @type {Map<string, Pattern>} */
  const found = new Map();
  for (const { name, shape, dtype } of tensors) {
    const number = name.match(LAYER);
    const pattern = number ? name.replace(LAYER, "{i}") : name;
    const known = found.get(pattern);
    if (!known) found.set(pattern, { pattern, layers: number ? [Number(number[0])] : [], shape, dtype });
    else known.layers.push(Number(number?.[0]));
  }
  for (const { layers } of found.values()) layers.sort((a, b) => a - b);
  return [...found.values()];
}

/** The tensor of a pattern in one layer. @param {string} pattern @param {number} layer */
export const inLayer = (pattern, layer) => pattern.replace("{i}", String(layer));

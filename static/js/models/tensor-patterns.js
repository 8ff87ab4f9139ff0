/** Groups tensors by pattern: `h.0.attn.weight`, `h.1.attn.weight` … become `h.{i}.attn.weight`. */

/** @typedef {import("./file-tensors.js").Tensor} Tensor */
/**
 * @typedef {{pattern: string, layers: number[], shape: number[], dtype: string}} Pattern with the first tensor's
 * shape; a single tensor has no layers
 */

const LAYER = /(?<![^.])\d+(?![^.])/; // number between dots

/** @param {Tensor[]} tensors */
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

/** @param {string} pattern @param {number} layer */
export const inLayer = (pattern, layer) => pattern.replace("{i}", String(layer));

/** Whether the shapes are those of attention maps: […, head, n, n]. @param {Tensor[]} tensors */
export const looksLikeMaps = (tensors) =>
  tensors.length > 0 && tensors.every(({ shape }) => shape.length >= 3 && shape.at(-1) === shape.at(-2));

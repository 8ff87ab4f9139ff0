/**
 * Proposes tensors for w_q, w_k, w_v … by their names. Groups tensors by pattern: `h.0.attn.weight`, `h.1.attn.weight`
 * … become `h.{i}.attn.weight`.
 */

/**
 * @typedef {{pattern: string, transpose: boolean, axis: number | null, from: number, to: number}} Choice a whole
 * tensor, or a part along one axis; `transpose` applies to the part
 */
/** @typedef {Record<string, Choice>} Choices by role; without a tensor, the pattern is empty */
/** @typedef {{key: string, values: Record<string, unknown>, wrong: boolean}} Said */

export const NEEDED = ["w_q", "w_k", "w_v"];
export const ROLES = [...NEEDED, "w_o", "b_q", "b_k", "b_v", "b_o"];
export const EMBEDDING = "embedding";

/** @type {Record<string, RegExp>} names in checkpoints, by the letter of a role */
const WORDS = {
  q: /(^|\.)(q|wq|w_q|b_q|attn_q|query|q_proj(_weight)?|q_lin|to_q)(?=\.|$)/i,
  k: /(^|\.)(k|wk|w_k|b_k|attn_k|key|k_proj(_weight)?|k_lin|to_k)(?=\.|$)/i,
  v: /(^|\.)(v|wv|w_v|b_v|attn_v|value|v_proj(_weight)?|v_lin|to_v)(?=\.|$)/i,
  o: /(^|\.)(o|wo|w_o|b_o|attn_output|o_proj|out_proj|out_lin|to_out)(?=\.|$)|att(n|ention)\.(c_proj|output\.dense)\b/i,
};
// Tensors to cut into q, k and v. query_key_value cannot be cut, because it interleaves heads.
const FUSED = /(^|\.)(c_attn|attn_qkv|qkv|qkv_proj|wqkv|in_proj)(?=\.|$)|in_proj_(weight|bias)$/i;
const INPUT_FIRST = /(^|[._])(c_attn|c_proj)\.weight$/; // d_in × d_out (GPT-2)
const LINEAR = /weight$/; // d_out × d_in (torch.nn.Linear)

/** @param {string} role */
export const isBias = (role) => role.startsWith("b_");

/** Patterns with the axes of the role; an embedding has no layers. @param {Pattern[]} patterns @param {string} role */
export const candidates = (patterns, role) =>
  patterns.filter(
    ({ shape, layers }) => shape.length === (isBias(role) ? 1 : 2) && (role !== EMBEDDING || layers.length === 0),
  );

/** @returns {Choice} */
export const blank = () => ({ pattern: "", transpose: false, axis: null, from: 0, to: 0 });

/** @param {Pattern[]} patterns */
export function proposeRoles(patterns) {
  /** @type {Choices} */
  const choices = {};
  for (const role of ROLES) {
    const all = candidates(patterns, role);
    const own = all.find(({ pattern }) => WORDS[role[2]].test(pattern));
    const fused = role[2] === "o" ? undefined : all.find(({ pattern }) => FUSED.test(pattern));
    const of = fused && (isBias(role) ? partOfBias(choices, role, patterns, fused) : partOfMatrix(fused, role));
    choices[role] = own ? wholeTensor(own) : (of ?? blank());
  }
  return choices;
}

/** The whole tensor, transposed if its name implies it. @param {Pattern} pattern */
export function wholeTensor({ pattern, shape }) {
  const transpose = shape.length === 2 && LINEAR.test(pattern) && !INPUT_FIRST.test(pattern);
  return { ...blank(), pattern, transpose, to: shape[0] ?? 0 };
}

/**
 * A fused bias is cut like the fused matrix. If matrices are separate (nn.MultiheadAttention with kdim), it is cut by
 * their widths; null if these do not fit.
 * @param {Choices} choices @param {string} role @param {Pattern[]} patterns @param {Pattern} fused
 * @returns {Choice | null}
 */
function partOfBias(choices, role, patterns, fused) {
  const { axis, from, to } = choices[`w_${role[2]}`];
  if (axis !== null) return { ...wholeTensor(fused), axis: 0, from, to };
  const widths = NEEDED.map((matrix) => widthOf(choices[matrix], patterns));
  const sum = (/** @type {number} */ count) => widths.slice(0, count).reduce((all, width) => all + width, 0);
  if (widths.includes(0) || sum(3) !== fused.shape[0]) return null;
  const at = NEEDED.indexOf(`w_${role[2]}`);
  return { ...wholeTensor(fused), axis: 0, from: sum(at), to: sum(at + 1) };
}

/** Columns of the chosen matrix; 0 without one. @param {Choice} choice @param {Pattern[]} patterns */
function widthOf(choice, patterns) {
  const { shape } = patterns.find(({ pattern }) => pattern === choice.pattern) ?? {};
  return (shape && sizesOf(choice, shape)?.[1]) || 0;
}

/**
 * A fused matrix holds q, k and v in this order; k and v have one width.
 * @param {Pattern} fused @param {string} role
 */
function partOfMatrix(fused, role) {
  const { shape } = fused;
  const axis = shape[1] > shape[0] ? 1 : 0;
  const [size, width] = [shape[axis], shape[1 - axis]];
  const rest = (size - width) / 2;
  if (!(rest > 0 && Number.isInteger(rest))) return wholeTensor(fused);
  const [from, to] = { q: [0, width], k: [width, width + rest], v: [width + rest, size] }[role[2]] ?? [0, size];
  return { ...wholeTensor(fused), axis, from, to };
}

/** Shape of the chosen part; null if its range is invalid. @param {Choice} choice @param {number[]} shape */
export function sizesOf({ transpose, axis, from, to }, shape) {
  if (axis !== null && !(Number.isInteger(from) && Number.isInteger(to) && 0 <= from && from < to && to <= shape[axis]))
    return null;
  const sizes = axis === null ? [...shape] : shape.map((size, at) => (at === axis ? to - from : size));
  return transpose ? sizes.reverse() : sizes;
}

/** @typedef {import("./file-tensors.js").Tensor} Tensor */
/**
 * @typedef {{pattern: string, layers: number[], shape: number[], dtype: string}} Pattern with the first tensor's
 * shape; a name without a number has no layers
 */

const LAYER = /(?<![^.])\d+(?![^.])/; // a whole part of a dotted name

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

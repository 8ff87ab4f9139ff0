/** Maps the tensors of a checkpoint to parameters, and builds the files to upload. */

import { EMBEDDING, NEEDED, ROLES, isBias, sizesOf, inLayer } from "./roles.js";

/** @import {Choices, Pattern, Said} from "./roles.js" */
/** @typedef {{tensor: string, transpose: boolean, slice?: (Span | null)[]}} Source */
/**
 * @typedef {{choices: Choices, patterns: Pattern[], heads: number | null, first: number, last: number}} Draft from
 * layer `first` to `last`, inclusive
 */

const OTHER_WIDTH = /(^|\.)[kv]_proj_weight$/; // names in nn.MultiheadAttention if kdim or vdim differs

/** @param {Draft} draft @param {string} role */
export const patternOf = ({ choices, patterns }, role) =>
  patterns.find(({ pattern }) => pattern === choices[role]?.pattern);

/** @param {Draft} draft */
export function layersOf(draft) {
  const { layers } = patternOf(draft, "w_q") ?? { layers: [] };
  return layers.filter((layer) => draft.first <= layer && layer <= draft.last);
}

/** Source of each role in each layer. @param {Draft} draft */
export function mappingOf(draft) {
  const layers = layersOf(draft);
  const chosen = Object.entries(draft.choices).filter(([, { pattern }]) => pattern);
  /** @type {Record<string, Source>} */
  const mapping = {};
  for (const [role, choice] of chosen) {
    const sizes = patternOf(draft, role)?.shape ?? [];
    const each = role === EMBEDDING || layers.length === 0 ? [null] : layers;
    each.forEach((layer, at) => {
      const target = layer === null ? role : `layers.${at}.${role}`;
      mapping[target] = source(choice, layer === null ? choice.pattern : inLayer(choice.pattern, layer), sizes);
    });
  }
  return mapping;
}

/** @param {import("./roles.js").Choice} choice @param {string} tensor @param {number[]} sizes @returns {Source} */
function source({ transpose, axis, from, to }, tensor, sizes) {
  if (axis === null) return { tensor, transpose };
  return { tensor, transpose, slice: sizes.map((_, at) => (at === axis ? [from, to] : null)) };
}

/** Message for each role: its shape, or the sizes that do not fit. @param {Draft} draft */
export function checkRoles(draft) {
  const roles = [...ROLES, EMBEDDING].filter((role) => draft.choices[role]);
  /** @type {Record<string, number[] | null>} */
  const sizes = {};
  for (const role of roles) {
    const pattern = patternOf(draft, role);
    sizes[role] = pattern ? sizesOf(draft.choices[role], pattern.shape) : null;
  }
  return Object.fromEntries(roles.map((role) => [role, checkRole(draft, role, sizes)]));
}

/** @param {string} key @param {Record<string, unknown>} [values] */
const wrong = (key, values = {}) => ({ key: `models.wrong.${key}`, values, wrong: true });

/** @param {string} key @param {Record<string, unknown>} [values] */
const right = (key, values = {}) => ({ key: `models.sum.${key}`, values, wrong: false });

/** @param {Draft} draft @param {string} role @param {Record<string, number[] | null>} sizes */
function checkRole(draft, role, sizes) {
  const pattern = patternOf(draft, role);
  if (!pattern) return NEEDED.includes(role) ? wrong("none") : right("none");
  if (!sizes[role]) {
    const { axis } = draft.choices[role];
    return wrong("part", { size: pattern.shape[axis ?? 0] });
  }
  if (role === EMBEDDING) return embedding(sizes[role], sizes.w_q);
  const lacking = layersOf(draft).find((layer) => !pattern.layers.includes(layer));
  if (lacking !== undefined) return wrong("layer", { layer: lacking });
  if (isBias(role)) return bias(role, sizes);
  const [rows, d_model] = [sizes[role][0], sizes.w_q?.[0]];
  if (OTHER_WIDTH.test(pattern.pattern) && rows !== d_model) return wrong("other_width", { rows, d_model });
  return matrix(role, sizes, draft.heads);
}

/** @param {string} role @param {Record<string, number[] | null>} sizes @param {number | null} heads */
function matrix(role, sizes, heads) {
  const [rows, columns] = sizes[role] ?? [];
  const [d_model, width] = sizes.w_q ?? [];
  if (role !== "w_o" && d_model !== undefined && rows !== d_model) return wrong("rows", { rows, d_model });
  if (!heads) return right("size", { rows, columns });
  const d_k = width / heads;
  if (role === "w_q")
    return Number.isInteger(d_k) ? right("q", { d_model, heads, d_k }) : wrong("heads", { columns, heads });
  if (!Number.isInteger(d_k)) return right("size", { rows, columns });
  const kv = (sizes.w_k?.[1] ?? NaN) / d_k;
  if (role === "w_k")
    return Number.isInteger(kv) && heads % kv === 0 ? right("k", { kv, d_k }) : wrong("kv", { columns, d_k, heads });
  const d_v = (sizes.w_v?.[1] ?? NaN) / kv;
  if (!Number.isInteger(kv)) return right("size", { rows, columns });
  if (role === "w_v") return Number.isInteger(d_v) ? right("v", { kv, d_v }) : wrong("v", { columns, kv });
  if (!Number.isInteger(d_v)) return right("size", { rows, columns });
  if (rows !== heads * d_v) return wrong("o", { rows, heads, d_v, width: heads * d_v });
  return right("o", { heads, d_v, columns });
}

/** @param {string} role @param {Record<string, number[] | null>} sizes */
function bias(role, sizes) {
  const name = `w_${role[2]}`;
  const [size] = sizes[role] ?? [];
  const columns = sizes[name]?.[1];
  if (columns === undefined) return wrong("alone", { name });
  return size === columns ? right("bias", { size, name }) : wrong("bias", { size, name, columns });
}

/** @param {number[]} table @param {number[] | null} w_q */
function embedding([rows, columns], w_q) {
  const d_model = w_q?.[0];
  if (d_model !== undefined && columns !== d_model) return wrong("embedding", { columns, d_model });
  return right("embedding", { rows, columns });
}

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

/** Answers with numbers of one's own. */

import { Answer } from "../../../static/js/core/answer.js";

/** @typedef {Record<string, {shape: number[], values: number[]}>} Tensors */

/**
 * A safetensors file of float64.
 * @param {Record<string, string>} metadata
 * @param {Tensors} tensors
 * @returns {ArrayBuffer}
 */
export function file(metadata, tensors) {
  const all = Object.values(tensors).flatMap(({ values }) => values);
  const header = { __metadata__: metadata };
  let from = 0;
  for (const [name, { shape, values }] of Object.entries(tensors)) {
    header[name] = { dtype: "F64", shape, data_offsets: [from, (from += 8 * values.length)] };
  }
  const json = JSON.stringify(header);
  const words = new TextEncoder().encode(json + " ".repeat((8 - (json.length % 8)) % 8));
  const bytes = new Uint8Array(8 + words.length + 8 * all.length);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(words.length), true);
  bytes.set(words, 8);
  bytes.set(new Uint8Array(new Float64Array(all).buffer), 8 + words.length);
  return bytes.buffer;
}

/** A stage as the API sends it: by batch, head, row and column, or less. @param {any} nested */
export function tensor(nested) {
  const shape = [];
  for (let each = nested; Array.isArray(each); each = each[0]) shape.push(each.length);
  return { shape, values: nested.flat(Infinity) };
}

const SHAPE = { batch: 1, num_layers: 1, num_heads: 1, num_kv_heads: 1, n: 2, m: 2, d_model: 2, d_k: 2, d_v: 2 };
const REPLY = {
  trace: "0123456789abcdef0123456789abcdef",
  tokens: [["the", "cat"]],
  lengths: [2],
  context_tokens: null,
  context_lengths: null,
  scale: Math.SQRT1_2,
  temperature: 1,
  dtype: "float64",
  holds: ["attention", "sqrt_d_k"],
};

/** What a reply says beside its numbers: one head over two tokens, but for what is given. */
export const reply = ({ shape = {}, ...rest } = {}) => ({ ...REPLY, ...rest, shape: { ...SHAPE, ...shape } });

/**
 * An answer of stages, as nested lists by their names; those of other layers are named "layers.1.x".
 * @param {Record<string, any>} stages
 * @param {object} [said] as `reply` takes it
 * @param {number[] | null} [heads]
 */
export function answerOf(stages, said = {}, heads = null) {
  const named = Object.entries(stages).map(([name, nested]) => [
    name.includes(".") ? name : `layers.0.${name}`,
    tensor(nested),
  ]);
  return new Answer(file({ attnscope: JSON.stringify(reply(said)) }, Object.fromEntries(named)), heads);
}

/** What the server tells of a trace beside its stages, asked for when a view first needs it. */

import { newest, rememberedBy } from "../lib/newest.js";
import { onProblem } from "./api.js";
import { recalled } from "./traces.js";
import { bodyOf } from "./question.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {import("./state.js").Store} Store */
/** @typedef {{shape: number[], singular_values: number[], rank: number, condition_number: number | null, condition_within_rank: number | null, frobenius_norm: number | null, determinant: number | null, log_abs_determinant: number | null}} Spectrum */
/** @typedef {{singular_values: number[], tokens_left: number[][], tokens_right: number[][]}} Directions */
/** @typedef {{head: number, kv_head: number, matrices: Record<string, Spectrum>, bilinear: {max_error: number | null, terms: Record<string, number | null>}, asymmetry: number | null, geometry: Record<string, Directions>}} HeadSpectra */
/** @typedef {{layer: number, batch: number, tensors: Record<string, Spectrum> | null, heads: HeadSpectra[], fused: {tensors: string[], columns: number, max_difference: number | null}}} Spectra */
/** @typedef {{name: string, shape: number[], predicted: number | null, measured: number | null, standard_error: number | null}} Variance */
/** @typedef {{name: string, num_heads: number, num_kv_heads: number, d_k: number, projections: number, biases: number, output: number, output_bias: number, total: number}} Counts */
/** @typedef {{init: string | null, tensors: Variance[], signal: {stage: string, predicted: number | null, measured: number | null}[], schemes: {init: string, own: boolean, tensors: Variance[]}[], counts: Counts[]}} Initialisation */
/** @typedef {{step: number, prefill: boolean, rows: number[], cached: number, q: number[][][], k: number[][][], v: number[][][], weights: (number | null)[][][], cache_bytes: number, equal_to_full: number | null}} Decoded one step */
/** @typedef {{name: string, num_kv_heads: number, own: boolean, bytes: number[]}} Cache */
/** @typedef {{num_steps: number, equal_to_full: number | null, cache: {bytes_per_row: number, num_layers: number, variants: Cache[]}, steps: Decoded[]}} Decoding */
/** @typedef {{name: string, num_kv_heads: number, own: boolean, parameters: number, cache_bytes: number, max_weight_error: number | null, max_output_error: number | null, relative_error: number | null}} Shared */

const KEPT = 16; // answers

/** @type {ReturnType<typeof rememberedBy<any>>} by address */
const remembered = rememberedBy(KEPT);

/**
 * @param {State} state with an answer
 * @param {string} part such as "spectrum"
 * @param {Record<string, string | number>} query
 * @returns {Promise<any>}
 * @throws {import("./api.js").Problem}
 */
export function told({ answer, question }, part, query) {
  const words = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  const path = `/api/v1/traces/${answer?.reply.trace}/${part}?${words}`;
  return remembered(path, () => recalled(path, bodyOf(question), new AbortController().signal));
}

/**
 * Asks whenever what is wanted changes, and hands over what came, unless something else is wanted by then.
 * @template Found
 * @param {(found: Found) => void} show
 * @param {(problem: import("./api.js").Problem) => void} fail
 */
export const wanting = (show, fail) => newest(show, onProblem(fail)).want;

import { newest, rememberedBy } from "../lib/newest.js";
import { onProblem } from "./api.js";
import { nameOf, recalled } from "./traces.js";
import { bodyOf } from "./question.js";

/** @typedef {{shape: number[], singular_values: number[], rank: number, condition_number: number | null, condition_within_rank: number | null, frobenius_norm: number | null, determinant: number | null, log_abs_determinant: number | null}} Spectrum */
/** @typedef {{dimensions: number, share: number, shares: number[], tokens: number[][]}} Unseen */
/** @typedef {{shares: number[], tokens: number[][]}} Principal */
/** @typedef {{singular_values: number[], tokens_left: number[][], tokens_right: number[][], unseen: Unseen | null}} Directions */
/** @typedef {{head: number, kv_head: number, matrices: Record<string, Spectrum>, bilinear: {max_error: number | null, terms: Record<string, number | null>}, asymmetry: number | null, geometry: Record<string, Directions>}} HeadSpectra */
/** @typedef {{layer: number, batch: number, tensors: Record<string, Spectrum> | null, heads: HeadSpectra[], fused: {tensors: string[], columns: number, max_difference: number | null}, principal: Principal | null}} Spectra */
/** @typedef {{name: string, shape: number[], predicted: number | null, measured: number | null, standard_error: number | null}} Variance */
/** @typedef {{name: string, num_heads: number, num_kv_heads: number, d_k: number, projections: number, biases: number, output: number, output_bias: number, total: number}} Counts */
/** @typedef {{init: string | null, tensors: Variance[], signal: {stage: string, predicted: number | null, measured: number | null}[], schemes: {init: string, own: boolean, tensors: Variance[]}[], counts: Counts[]}} Initialisation */
/**
 * @typedef {{step: number, prefill: boolean, rows: number[], cached: number, q: number[][][], k: number[][][], v:
 * number[][][], weights: (number | null)[][][], cache_bytes: number, equal_to_full: number | null}} Decoded
 */
/** @typedef {{name: string, num_kv_heads: number, own: boolean, bytes: number[]}} Cache */
/** @typedef {{layer: number, num_steps: number, equal_to_full: number | null, cache: {bytes_per_row: number, num_layers: number, variants: Cache[]}, steps: Decoded[]}} Decoding */
/**
 * @typedef {{position: number, token: string, predicts: string, top: {piece: string, probability: number}[], surprises:
 * (number | null)[]}} Predictions surprises: −ln p
 */
/** @typedef {{name: string, num_kv_heads: number, own: boolean, parameters: number, cache_bytes: number, max_weight_error: number | null, max_output_error: number | null, relative_error: number | null}} Shared */
/**
 * @typedef {{length: number, repeats: number, heads: Record<string, number | null>[][], copied: number | null}} Probe
 * on repeated random tokens
 */
/**
 * @typedef {{position: number, token: string, log_probability: number, heads: {log_probability: number, change:
 * number}[][]}} Ablations each head dropped in turn
 */
/**
 * @typedef {{position: number, token: string, logit: number, embedding: number, heads: number[][], mlps: number[],
 * bias: number}} Contributions to a logit
 */
/**
 * @typedef {{score: number, query_parts: {of: string}[], key_parts: {of: string}[], values: number[][]}} ScoreParts a
 * matrix that sums to a score
 */

const KEPT = 16;

const remembered = rememberedBy(KEPT);
/** @type {ReturnType<typeof rememberedBy<string>>} */
const named = rememberedBy(KEPT);

/**
 * @param {State} state with an answer @param {string} part such as "spectrum"
 * @param {Record<string, string | number>} query @throws {import("./api.js").Problem}
 */
export const fetchPart = ({ answer, question }, part, query) =>
  fetchByTrace(answer?.reply.trace ?? "", bodyOf(question), part, query);

/**
 * @param {Question} question @param {string} part @param {Record<string, string | number>} query
 * @throws {import("./api.js").Problem}
 */
export async function fetchPartOf(question, part, query) {
  const body = bodyOf(question);
  return fetchByTrace(await named(JSON.stringify(body), () => nameOf(body)), body, part, query);
}

/**
 * Reposts the body if the trace was evicted.
 * @param {string} trace @param {Record<string, unknown>} body @param {string} part
 * @param {Record<string, string | number>} query
 */
function fetchByTrace(trace, body, part, query) {
  const words = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  const path = `/api/v1/traces/${trace}/${part}?${words}`;
  return remembered(path, () => recalled(path, body, new AbortController().signal));
}

/**
 * One request for all readers.
 * @param {string} trace @param {Record<string, unknown>} body
 * @param {Record<string, string | number>} query
 * @returns {Promise<{heads: import("./state.js").Metrics[]}>}
 */
export const headsOf = (trace, body, query) => fetchByTrace(trace, body, "heads", query);

/**
 * Requests when the key changes. `parts` are marked with the answer (`question/shown-answers.js`).
 * @template Found @param {(found: Found) => void} show @param {(problem: import("./api.js").Problem) => void} fail
 * @param {...HTMLElement} parts
 * @returns {(key: string, ask: () => Promise<Found> | Found, of?: string) => Promise<void>} `of`: see `answerOf`
 */
export function wanting(show, fail, ...parts) {
  let asked = "";
  /** @template Reply @param {(reply: Reply) => void} show @returns {(reply: Reply) => void} */
  const named = (show) => (reply) => {
    for (const part of parts) part.dataset.trace = asked;
    show(reply);
  };
  const { want } = newest(named(show), onProblem(named(fail)));
  return (key, ask, of = "") =>
    want(key, () => {
      asked = of;
      return ask();
    });
}

/** Answer and selected text. @param {State} state with an answer */
export const answerOf = ({ answer, view }) => `${answer?.reply.trace} batch=${view.batch}`;

/**
 * The fields of the address, a row each: name, format, default.
 * The question's and the model's defaults come with the page.
 */

import { MATRICES } from "../question.js";
import {
  CELL,
  FLAG,
  INDEX,
  NUMBER,
  PLACES,
  OBJECTIVE,
  PAIRS,
  PICKED,
  POSITIVE,
  SCALE,
  SHARE,
  SPOT,
  STEP,
  TOKENS,
  TRACE,
  WORD,
  oneOf,
  renamed,
} from "./kinds.js";

/** @template Value @typedef {import("./kinds.js").Kind<Value>} Kind */
/** @template Value @typedef {{kind: Kind<any>, initial: Value}} Field */

export const METRICS = /** @type {const} */ ([
  "entropy",
  "distance",
  "first",
  "previous",
  "own",
  "duplicate_token",
  "induction",
]);
/** @typedef {typeof METRICS[number]} Metric */

export const CHANGES = ["mask", "scaling", "heads"]; // besides x and the parameters
export const TABS = /** @type {const} */ ([
  "stages",
  "heads",
  "lines",
  "map",
  "gradients",
  "parameters",
  "worth",
  "decode",
  "lab",
]);
/** @typedef {typeof TABS[number]} Tab */
export const MATRIX_NAMES = /** @type {const} */ (["w_q", "w_k", "w_v", "w_o", "w_qk", "w_vo"]);
export const PRECISIONS = [1, 2, 3, 4, 6, 8, 12];
export const MAPS = /** @type {const} */ (["weights", "masked_scores", "scaled_scores", "scores"]);
export const REDUCES = /** @type {const} */ (["max", "mean"]);
export const RAMPS = /** @type {const} */ (["auto", "linear", "root", "log"]);
export const WAYS = /** @type {const} */ (["sum", "mean", "max"]);
export const RANGES = /** @type {const} */ (["auto", "fixed", "row", "data"]);

/**
 * @template Value
 * @param {Kind<Value>} kind
 * @param {NoInfer<Value>} initial
 * @returns {Field<Value>}
 */
const field = (kind, initial) => ({ kind, initial });

/**
 * A field that may say nothing at all.
 * @template Value
 * @param {Kind<Value>} kind
 * @returns {Field<Value | null>}
 */
const maybe = (kind) => ({ kind, initial: null });

/** @type {Kind<number>} */
const DECIMALS = { print: String, parse: (text) => PRECISIONS.find((each) => String(each) === text) };
/** @type {Kind<boolean>} */
const SET = { print: () => "1", parse: (text) => (text === "1" ? true : undefined) };

/** @type {Record<string, Kind<any>>} */
export const QUESTION = {
  text: WORD,
  context: WORD,
  pair: WORD,
  breaks: FLAG,
  tokenizer: WORD,
  special_tokens: WORD,
  context_length: NUMBER,
  causal: FLAG,
  window: NUMBER,
  global_tokens: PLACES,
  stride: NUMBER,
  block_size: NUMBER,
  prefix: NUMBER,
  blocked: PAIRS,
  padding: WORD,
  drop: PAIRS,
  scale: SCALE,
  temperature: NUMBER,
  dtype: WORD,
};

/** @type {Record<string, Kind<any> & {of?: string}>} `of` is the field, where the address calls it otherwise */
export const MODEL = {
  seed: NUMBER,
  d_model: NUMBER,
  num_heads: NUMBER,
  num_kv_heads: NUMBER,
  d_k: NUMBER,
  d_v: NUMBER,
  num_layers: NUMBER,
  init: WORD,
  bias: FLAG,
  share: WORD,
  positions: WORD,
  block: WORD,
  norm: WORD,
  mlp: FLAG,
  activation: WORD,
  output_projection: FLAG,
  name: WORD,
  revision: WORD,
  id: WORD,
  task: WORD,
  rate: NUMBER,
  length: NUMBER,
  steps: { ...NUMBER, of: "step" }, // for the view has a step, too
};

/** The fields of the view. */
export const VIEW = {
  batch: field(INDEX, 0),
  layer: field(INDEX, 0),
  head: field(INDEX, 0),
  // Words of old addresses, and a tab by its name on the page.
  tab: field(renamed(oneOf(TABS), { weights: "parameters", laboratory: "lab" }), "stages"),
  cell: maybe(CELL), // the pinned cell
  // the token after which predictions are seen; null: the pinned cell's query, or the last
  after: maybe(INDEX),
  // the piece whose logit is decomposed; null: the one that came, or the likeliest
  piece: maybe(WORD),
  heads: field(PAIRS, []), // several heads seen together: layer, head
  combine: field(oneOf(["mean", "max"]), "mean"), // how they are seen together
  metric: field(oneOf(METRICS), "entropy"), // metric of the heads
  sorted: field(FLAG, false), // heads by that metric, largest first
  why: field(FLAG, false), // whether the score of the pinned cell is decomposed
  // heads looked for on random tokens that repeat
  probe: field(FLAG, false),
  tokens: field(oneOf(["pieces", "words"]), "pieces"), // what maps of weights have rows and columns of
  keys: field(oneOf(WAYS), "sum"), // how the pieces of a key become a word
  queries: field(oneOf(WAYS), "mean"),
  above: maybe(NUMBER), // heads whose metric is at least this
  picked: maybe(PICKED), // tokens whose weights are summed
  threshold: field(NUMBER, 0.05), // weight from which on a line is drawn
  layout: field(oneOf(["vertical", "horizontal"]), "vertical"), // of the lines
  map: field(oneOf(MAPS), "weights"), // the stage of the map
  reduce: field(oneOf(REDUCES), "max"), // what its cells come to that share a pixel
  ramp: field(oneOf(RAMPS), "auto"), // how its colours go
  place: maybe(SPOT), // visible part of the map; null: all of it
  objective: field(OBJECTIVE, { at: "output", row: null, col: null }), // what is differentiated
  matrix: field(oneOf(MATRIX_NAMES), "w_q"), // whose singular values are seen
  prefill: field(INDEX, 0), // tokens that decoding takes at once; 0: none
  decoded: maybe(INDEX), // the step of decoding; null: the last
  rollout: field(FLAG, false), // the layers seen together instead
  skip: field(TOKENS, []), // keys that are left out of the weights of heads
  discard: field(SHARE, 0), // of the weights of each row in a rollout: the lowest, which count as 0
  // what the laboratory measures
  lab: field(oneOf(["scaling", "precision", "costs", "linear"]), "scaling"),
  // of the layer whose costs are seen, n.d_model.heads.key/value heads; null: the answer's
  sizes: maybe(WORD),
  width: maybe(POSITIVE), // d_k of random scores; null: the head's own
  factor: maybe(POSITIVE), // of the scale; null: 1
  // dtype of the softmax seen; null: the question's
  rounding: maybe(WORD),
  stage: maybe(WORD), // the stage seen large
  table: field(FLAG, false), // the large stage as a table
  change: maybe(oneOf(["x", ...MATRICES, ...CHANGES])), // the open editor
  since: maybe(TRACE), // the trace that the stages are compared with
  step: maybe(STEP), // position in the walkthrough
  // large type, one stage at a time, no controls
  present: field(SET, false),
  precision: field(DECIMALS, 3), // decimals
  range: field(oneOf(RANGES), "auto"), // of the weights' colours
};

/**
 * `chosen`: whether layer 0, head 0 was asked for; otherwise a model with many heads may open another one.
 * @typedef {{[Name in keyof typeof VIEW]: (typeof VIEW)[Name]["initial"]} & {chosen?: boolean}} View
 */

/** @type {View} */
export const DEFAULT_VIEW = /** @type {any} */ (
  Object.fromEntries(Object.entries(VIEW).map(([name, { initial }]) => [name, initial]))
);

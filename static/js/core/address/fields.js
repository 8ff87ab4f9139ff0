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

export const CHANGES = ["mask", "scaling", "heads"];
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

/** @template Value @param {Kind<Value>} kind @param {NoInfer<Value>} initial @returns {Field<Value>} */
const field = (kind, initial) => ({ kind, initial });

/** @template Value @param {Kind<Value>} kind @returns {Field<Value | null>} */
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

/** @type {Record<string, Kind<any> & {of?: string}>} `of`: name in the state */
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
  steps: { ...NUMBER, of: "step" },
};

export const VIEW = {
  batch: field(INDEX, 0),
  layer: field(INDEX, 0),
  head: field(INDEX, 0),
  // old addresses name tabs otherwise
  tab: field(renamed(oneOf(TABS), { weights: "parameters", laboratory: "lab" }), "stages"),
  cell: maybe(CELL),
  // position before the predicted token; null: see core/position.js
  after: maybe(INDEX),
  // predicted piece; null: the actual next piece, else the most probable
  piece: maybe(WORD),
  heads: field(PAIRS, []), // [layer, head]
  combine: field(oneOf(["mean", "max"]), "mean"),
  metric: field(WORD, "entropy"),
  sorted: field(FLAG, false),
  why: field(FLAG, false),
  // measure heads on repeated random tokens
  probe: field(FLAG, false),
  tokens: field(oneOf(["pieces", "words"]), "pieces"),
  keys: field(oneOf(WAYS), "sum"),
  queries: field(oneOf(WAYS), "mean"),
  above: maybe(NUMBER),
  picked: maybe(PICKED),
  threshold: field(NUMBER, 0.05),
  layout: field(oneOf(["vertical", "horizontal"]), "vertical"),
  map: field(oneOf(MAPS), "weights"),
  reduce: field(oneOf(REDUCES), "max"),
  ramp: field(oneOf(RAMPS), "auto"),
  place: maybe(SPOT), // null: the whole map
  objective: field(OBJECTIVE, { at: "output", row: null, col: null }),
  matrix: field(oneOf(MATRIX_NAMES), "w_q"), // matrix whose singular values are shown
  prefill: field(INDEX, 0), // tokens in the prefill
  decoded: maybe(INDEX), // step; null: the last
  rollout: field(FLAG, false),
  skip: field(TOKENS, []),
  discard: field(SHARE, 0), // share of a row's nonzero weights to drop, lowest first
  lab: field(oneOf(["scaling", "precision", "costs", "linear"]), "scaling"),
  // "n.d_model.heads.kv_heads"; null: the answer's
  sizes: maybe(WORD),
  width: maybe(POSITIVE), // d_k; null: d_k of the head
  factor: maybe(POSITIVE), // null: 1
  // dtype; null: dtype of the question
  rounding: maybe(WORD),
  stage: maybe(WORD),
  table: field(FLAG, false),
  change: maybe(oneOf(["x", ...MATRICES, ...CHANGES])),
  since: maybe(TRACE), // trace of the answer to compare with
  step: maybe(STEP),
  present: field(SET, false),
  precision: field(DECIMALS, 3), // decimals
  range: field(oneOf(RANGES), "auto"),
};

/**
 * `chosen`: the address names layer 0, head 0; else the page may choose a head.
 * @typedef {{[Name in keyof typeof VIEW]: (typeof VIEW)[Name]["initial"]} & {chosen?: boolean}} View
 */

/** @type {View} */
export const DEFAULT_VIEW = /** @type {any} */ (
  Object.fromEntries(Object.entries(VIEW).map(([name, { initial }]) => [name, initial]))
);

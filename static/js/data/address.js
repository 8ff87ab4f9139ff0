/** State is the URL: each field is a parameter, and a default writes nothing. */

import { LARGE, hashOf, isLong, readHash } from "./hash.js";
import { keptAs, nameOfKept } from "./kept.js";
import { drawn, known } from "./page.js";
import { MATRICES, SOURCES, defaultModel, defaultQuestion } from "./question.js";

/** @typedef {import("./page.js").Page} Page */
/** @typedef {import("./question.js").Question} Question */

/**
 * @typedef {Object} Cell
 * @property {string} stage
 * @property {number} row
 * @property {number} col
 */

/** @typedef {{chapter: string, t: number}} Step t from 0 to 1 */
/** @typedef {"stages" | "heads" | "lines" | "gradients" | "weights" | "decode" | "lab"} Tab */
/** @typedef {{at: "output" | "block_output", row: number | null, col: number | null}} Objective the sum, a row or a cell */
/** @typedef {{axis: "query" | "key", at: number[]}} Picked */

/**
 * What is looked at.
 * @typedef {Object} View
 * @property {number} batch
 * @property {number} layer
 * @property {number} head
 * @property {Tab} tab
 * @property {Cell | null} cell the pinned cell
 * @property {number[][]} heads several heads seen together: layer, head
 * @property {"mean" | "max"} combine how they are seen together
 * @property {Metric} metric what heads are told apart by
 * @property {boolean} sorted heads by that metric, largest first
 * @property {number | null} above heads whose metric is at least this
 * @property {Picked | null} picked tokens whose weights are summed
 * @property {number} threshold weight from which on a line is drawn
 * @property {"vertical" | "horizontal"} layout of the lines
 * @property {Objective} objective what is derived
 * @property {typeof MATRIX_NAMES[number]} matrix whose singular values are seen
 * @property {number} prefill tokens that decoding takes at once; 0: none
 * @property {number | null} decoded the step of decoding; null: the last
 * @property {boolean} rollout the layers seen together instead
 * @property {"scaling" | "precision"} lab what the laboratory measures
 * @property {number | null} width d_k of random scores; null: the head's own
 * @property {number | null} factor of the scale; null: 1
 * @property {string | null} rounding dtype of the softmax that is seen; null: the question's
 * @property {string | null} stage the stage seen large
 * @property {boolean} table the large stage as a table
 * @property {string | null} change what is being changed: x, a parameter, or one of CHANGES
 * @property {string | null} since the trace that the stages are compared with
 * @property {Step | null} step how far the computation is told
 * @property {boolean} present large type, one stage at a time, no controls
 * @property {number} precision decimals
 * @property {"fixed" | "row" | "data"} range of the weights' colours
 */

export const METRICS = /** @type {const} */ (["entropy", "distance", "first", "previous", "own"]);
/** @typedef {typeof METRICS[number]} Metric */

export const CHANGES = ["mask", "scaling", "heads"]; // beside x and the parameters
/** @type {Tab[]} */
export const TABS = ["stages", "heads", "lines", "gradients", "weights", "decode", "lab"];
export const MATRIX_NAMES = /** @type {const} */ (["w_q", "w_k", "w_v", "w_o", "w_qk", "w_vo"]);
export const PRECISIONS = [1, 2, 3, 4, 6, 8, 12];

/** @type {View} */
export const DEFAULT_VIEW = {
  batch: 0,
  layer: 0,
  head: 0,
  tab: "stages",
  cell: null,
  heads: [],
  combine: "mean",
  metric: "entropy",
  sorted: false,
  above: null,
  picked: null,
  threshold: 0.05,
  layout: "vertical",
  objective: { at: "output", row: null, col: null },
  matrix: "w_q",
  prefill: 0,
  decoded: null,
  rollout: false,
  lab: "scaling",
  width: null,
  factor: null,
  rounding: null,
  stage: null,
  table: false,
  change: null,
  since: null,
  step: null,
  present: false,
  precision: 3,
  range: "fixed",
};

/** @typedef {{print: (value: any) => string, parse: (text: string) => any}} Kind */

const WORD = { print: String, parse: String };
const NUMBER = {
  print: String,
  parse: (/** @type {string} */ text) =>
    text.trim() && Number.isFinite(Number(text)) ? Number(text) : undefined,
};
const POSITIVE = {
  print: String,
  parse: (/** @type {string} */ text) => (Number(text) > 0 && Number(text) < Infinity ? Number(text) : undefined),
};
const FLAG = {
  print: String,
  parse: (/** @type {string} */ text) => (/^(true|false)$/.test(text) ? text === "true" : undefined),
};
const INDEX = {
  print: String,
  parse: (/** @type {string} */ text) => (/^\d{1,6}$/.test(text) ? Number(text) : undefined),
};
const SCALE = {
  print: String,
  parse: (/** @type {string} */ text) => (/^(sqrt_d_k|none)$/.test(text) ? text : NUMBER.parse(text)),
};
const PAIRS = {
  print: (/** @type {number[][]} */ cells) => cells.map((cell) => cell.join(".")).join("_"),
  parse: (/** @type {string} */ text) =>
    /^\d+\.\d+(_\d+\.\d+)*$/.test(text)
      ? text.split("_").map((cell) => cell.split(".").map(Number))
      : undefined,
};
const CELL = {
  print: (/** @type {Cell} */ cell) => `${cell.stage}.${cell.row}.${cell.col}`,
  parse: (/** @type {string} */ text) => {
    const [, stage, row, col] = text.match(/^(\w+)\.(\d+)\.(\d+)$/) ?? [];
    return stage ? { stage, row: Number(row), col: Number(col) } : undefined;
  },
};

const STEP = {
  print: (/** @type {Step} */ { chapter, t }) => `${chapter}.${Math.round(100 * t)}`,
  parse: (/** @type {string} */ text) => {
    const [, chapter, percent] = text.match(/^([a-z_]+)\.(\d\d?|100)$/) ?? [];
    return chapter ? { chapter, t: Number(percent) / 100 } : undefined;
  },
};

const TRACE = {
  print: String,
  parse: (/** @type {string} */ text) => (/^[0-9a-f]{32}$/.test(text) ? text : undefined),
};

const PICKED = {
  print: (/** @type {Picked} */ { axis, at }) => `${axis}.${at.join("_")}`,
  parse: (/** @type {string} */ text) => {
    const [, axis, at] = text.match(/^(query|key)\.(\d{1,6}(?:_\d{1,6})*)$/) ?? [];
    return axis ? { axis, at: [...new Set(at.split("_").map(Number))] } : undefined;
  },
};

const OBJECTIVE = {
  print: (/** @type {Objective} */ { at, row, col }) => [at, row, col].filter((part) => part !== null).join("."),
  parse: (/** @type {string} */ text) => {
    const [at, ...place] = /^(block_)?output(\.\d{1,6}){0,2}$/.test(text) ? text.split(".") : [];
    const [row = null, col = null] = place.map(Number);
    return at && { at, row, col };
  },
};

/** @type {Record<string, Kind>} */
const QUESTION = {
  text: WORD,
  context: WORD,
  tokenizer: WORD,
  context_length: NUMBER,
  causal: FLAG,
  window: NUMBER,
  prefix: NUMBER,
  blocked: PAIRS,
  scale: SCALE,
  temperature: NUMBER,
  dtype: WORD,
};

/** @type {Record<string, Kind>} */
const MODEL = {
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
  mlp: FLAG,
  output_projection: FLAG,
  name: WORD,
  id: WORD,
};

/** @type {Record<string, Kind>} */
const VIEW = {
  batch: INDEX,
  layer: INDEX,
  head: INDEX,
  tab: oneOf(TABS),
  cell: CELL,
  heads: PAIRS,
  combine: oneOf(["mean", "max"]),
  metric: oneOf([...METRICS]),
  sorted: FLAG,
  above: NUMBER,
  picked: PICKED,
  threshold: NUMBER,
  layout: oneOf(["vertical", "horizontal"]),
  objective: OBJECTIVE,
  matrix: oneOf([...MATRIX_NAMES]),
  prefill: INDEX,
  decoded: INDEX,
  rollout: FLAG,
  lab: oneOf(["scaling", "precision"]),
  width: POSITIVE,
  factor: POSITIVE,
  rounding: oneOf(["float64", "float32", "float16", "bfloat16"]),
  stage: WORD,
  table: FLAG,
  change: oneOf(["x", ...MATRICES, ...CHANGES]),
  since: TRACE,
  step: STEP,
  present: { print: () => "1", parse: (text) => text === "1" || undefined },
  precision: oneOf(PRECISIONS.map(String), Number),
  range: oneOf(["fixed", "row", "data"]),
};

/**
 * @param {string[]} words
 * @param {(text: string) => unknown} [parse]
 * @returns {Kind}
 */
function oneOf(words, parse = String) {
  return { print: String, parse: (text) => (words.includes(text) ? parse(text) : undefined) };
}

/**
 * @param {URL} url
 * @param {Page} page
 * @returns {{question: Question, view: View, ignored: string[]}} `ignored` is what means nothing here
 */
export function readAddress(url, page) {
  const query = url.searchParams;
  const { large, ignored } = readHash(url.hash);
  const source = SOURCES.find((name) => name === query.get("source")) ?? "seeded";
  const model = read(query, MODEL, defaultModel(page, source));
  const foreign = MATRICES.filter((name) => name in large && !(name in model));
  for (const name of MATRICES) if (name in large && name in model) model[name] = large[name];
  const question = read(query, QUESTION, defaultQuestion(page));
  const given = large.x || large.tokens;
  const view = read(query, viewOf(page), DEFAULT_VIEW);
  return {
    question: keptAs(query.get("t")) ?? {
      ...question,
      ...("text" in large && { text: large.text }),
      ...("context" in large && { context: large.context }),
      model,
      ...LARGE.reduce((all, name) => ({ ...all, [name]: large[name] ?? null }), {}),
      ...(given && { text: "" }),
      ...((large.context_x || large.context_tokens) && { context: "" }),
    },
    view,
    ignored: [...meaningless(query, model, page), ...foreign, ...ignored],
  };
}

/**
 * What is looked at, among the stages that there are.
 * @param {Page} page
 * @returns {Record<string, Kind>}
 */
function viewOf(page) {
  const cell = (/** @type {string} */ text) => {
    const value = CELL.parse(text);
    return known(page).some(({ name }) => name === value?.stage) ? value : undefined;
  };
  return { ...VIEW, cell: { ...CELL, parse: cell }, stage: oneOf(drawn(page).map(({ name }) => name)) };
}

/**
 * The parameters that nothing is read from, as they stand in the address.
 * @param {URLSearchParams} query
 * @param {import("./question.js").Model} model
 * @param {Page} page
 */
function meaningless(query, model, page) {
  /** @type {Record<string, Kind>} */
  const kinds = { ...QUESTION, ...viewOf(page), source: oneOf(SOURCES), lang: WORD, t: { ...WORD, parse: keptAs } };
  for (const name of Object.keys(MODEL)) if (name in model) kinds[name] = MODEL[name];
  return [...query]
    .filter(([name, text]) => !Object.hasOwn(kinds, name) || kinds[name].parse(text) === undefined)
    .map(([name, text]) => (text ? `${name}=${text}` : name));
}

/**
 * The address of a state, relative to the page.
 * @param {{question: Question, view: View}} state
 * @param {URL} url the present address: its language is kept
 * @param {Page} page
 */
export function writeAddress({ question, view }, url, page) {
  const query = new URLSearchParams();
  const lang = url.searchParams.get("lang");
  if (lang) query.set("lang", lang);
  const name = nameOfKept(question);
  if (name) {
    query.set("t", name);
    write(query, VIEW, view, DEFAULT_VIEW);
    return `${url.pathname}?${query}`;
  }
  const { model } = question;
  const base = defaultModel(page, model.source);
  const elsewhere = question.x || question.tokens || isLong(question.text);
  const asked = elsewhere ? { ...question, text: page.defaults.text } : { ...question };
  if (question.context_x || question.context_tokens || isLong(question.context ?? "")) asked.context = null;
  write(query, QUESTION, asked, defaultQuestion(page));
  if (model.source !== "seeded") query.set("source", model.source);
  write(query, MODEL, model, base);
  write(query, VIEW, view, DEFAULT_VIEW);
  const text = query.toString().replaceAll("+", "%20");
  return `${url.pathname}${text && "?"}${text}${hashOf(question, base)}`;
}

/**
 * @template {object} Values
 * @param {URLSearchParams} query
 * @param {Record<string, Kind>} kinds
 * @param {Values} defaults
 * @returns {Values}
 */
function read(query, kinds, defaults) {
  const values = /** @type {Record<string, any>} */ ({ ...defaults });
  for (const [name, kind] of Object.entries(kinds)) {
    const text = query.get(name);
    const value = text === null || !(name in defaults) ? undefined : kind.parse(text);
    if (value !== undefined) values[name] = value;
  }
  return /** @type {Values} */ (values);
}

/**
 * @param {URLSearchParams} query
 * @param {Record<string, Kind>} kinds
 * @param {Record<string, any>} values
 * @param {Record<string, any>} defaults
 */
function write(query, kinds, values, defaults) {
  for (const [name, kind] of Object.entries(kinds)) {
    const value = values[name];
    if (value === null || value === undefined) continue;
    if (JSON.stringify(value) !== JSON.stringify(defaults[name])) query.set(name, kind.print(value));
  }
}

/** A question as the page holds it, as the API takes it, and what asking it would cost. */

/** @typedef {number[] | number[][] | number[][][]} Numbers */
/** @typedef {{source: string} & Record<string, any>} Model */

/**
 * The request body of POST /attention; `text` is the sentence box as typed, one sentence a line.
 * @typedef {Object} Question
 * @property {string} text
 * @property {string[] | string[][] | null} tokens
 * @property {Numbers | null} x
 * @property {string} tokenizer
 * @property {number | null} context_length
 * @property {Model} model
 * @property {boolean | null} causal
 * @property {number | null} window
 * @property {number} prefix
 * @property {[number, number][]} blocked
 * @property {string | number} scale
 * @property {number} temperature
 * @property {string | null} dtype
 */

/** @typedef {import("./page.js").Page} Page */
/** @typedef {{num_heads: number, num_layers: number, n: number, d_model: number, d_k: number, d_v: number, batch: number}} Shape */

export const SOURCES = ["seeded", "explicit", "crafted", "uploaded"];
export const MATRICES = ["w_q", "w_k", "w_v", "w_o", "b_q", "b_k", "b_v", "b_o"];

const FIELDS = /** @type {const} */ ([
  "text",
  "tokens",
  "x",
  "tokenizer",
  "context_length",
  "model",
  "causal",
  "window",
  "prefix",
  "blocked",
  "scale",
  "temperature",
  "dtype",
]);

/**
 * The question a page without parameters asks.
 * @param {Page} page
 * @returns {Question}
 */
export function defaultQuestion(page) {
  return merged(page, {});
}

/**
 * A request body with every field the page knows; what the body leaves out is the default.
 * @param {Page} page
 * @param {Record<string, any>} body
 * @returns {Question}
 */
export function merged(page, body) {
  const all = { ...page.defaults, ...body };
  const question = Object.fromEntries(FIELDS.map((field) => [field, all[field]]));
  const model = { ...defaultModel(page, body.model?.source ?? "seeded"), ...body.model };
  const given = body.x || body.tokens;
  const text = given ? "" : [all.text].flat().join("\n");
  return /** @type {Question} */ ({ ...question, text, model });
}

/**
 * What a source starts from. Explicit matrices begin as identities: q = k = v = x.
 * @param {Page} page
 * @param {string} source
 * @returns {Model}
 */
export function defaultModel(page, source) {
  if (source === "seeded") return page.defaults.model;
  if (source === "crafted") return { source, name: page.choices.crafted[0] };
  if (source === "uploaded") return { source, id: "" };
  const identity = [0, 1, 2, 3].map((row) => [0, 1, 2, 3].map((col) => Number(row === col)));
  const blank = Object.fromEntries(MATRICES.map((name) => [name, null]));
  const given = { w_q: identity, w_k: identity, w_v: identity };
  return { source, num_heads: 1, num_kv_heads: null, seed: 0, ...blank, ...given };
}

/** @param {Question} question */
export function sentences(question) {
  return question.text.split("\n").filter((line) => line.trim() !== "");
}

/**
 * Why a question cannot be asked yet, or null.
 * @param {Question} question
 * @returns {"empty" | "no_upload" | null}
 */
export function missing(question) {
  if (question.model.source === "uploaded" && !question.model.id) return "no_upload";
  if (!question.x && !question.tokens && sentences(question).length === 0) return "empty";
  return null;
}

/**
 * The request body, with the text as the API wants it and without what is null.
 * @param {Question} question
 * @returns {Record<string, unknown>}
 */
export function bodyOf(question) {
  const lines = sentences(question);
  const text = lines.length === 1 ? lines[0] : lines;
  const given = question.x || question.tokens;
  const all = { ...question, text: given ? null : text, model: withoutNulls(question.model) };
  return withoutNulls(all);
}

/** @param {Record<string, any>} object */
function withoutNulls(object) {
  const entries = Object.entries(object).filter(([, value]) => value !== null);
  return /** @type {Record<string, any>} */ (Object.fromEntries(entries));
}

/**
 * The sizes an answer will have, guessed from the question; `known` is the last answer's shape.
 * @param {Question} question
 * @param {Shape | null} known
 * @returns {Shape}
 */
export function guessShape(question, known) {
  const { model } = question;
  const n = Math.max(...lengths(question), question.context_length ?? 1);
  const batch = Math.max(1, lengths(question).length);
  if (model.source === "seeded") {
    const { num_heads, num_layers, d_model } = model;
    const d_k = model.d_k ?? Math.ceil(d_model / num_heads);
    return { num_heads, num_layers, n, batch, d_model, d_k, d_v: model.d_v ?? d_k };
  }
  if (model.source === "explicit") {
    const d_k = Math.ceil((model.w_q?.[0]?.length ?? 1) / model.num_heads);
    const d_model = model.w_q?.length ?? 1;
    return { num_heads: model.num_heads, num_layers: 1, n, batch, d_model, d_k, d_v: d_k };
  }
  const unknown = { num_heads: 4, num_layers: 1, d_model: 64, d_k: 32, d_v: 32 };
  return { ...unknown, ...known, n, batch };
}

/** @param {Question} question */
function lengths(question) {
  const given = question.tokens ?? question.x;
  if (given) {
    const nested = question.tokens
      ? Array.isArray(given[0])
      : Array.isArray(/** @type {any} */ (given)[0]?.[0]);
    return nested ? given.map((each) => /** @type {any} */ (each)?.length ?? 1) : [given.length];
  }
  const pattern =
    question.tokenizer === "characters" ? /\S/gu : /\p{Script=Han}|[\p{L}\p{M}\p{N}'’]+|[^\s]/gu;
  return sentences(question).map((line) => line.match(pattern)?.length ?? 1);
}

/**
 * How many numbers a whole trace holds.
 * @param {Shape} shape
 */
export function numbersIn(shape) {
  const { batch, num_layers, num_heads, n, d_model, d_k, d_v } = shape;
  const perHead = 4 * n * n + n * (2 * d_k + 3 * d_v);
  return batch * num_layers * (num_heads * perHead + 3 * n * d_model);
}

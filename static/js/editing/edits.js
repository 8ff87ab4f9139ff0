import { isPlain, wordsOf } from "../core/answer.js";
import { MATRICES, defaultModel, hasContext, textsOf } from "../core/question.js";
import { rowsOf } from "../lib/rows.js";

/** @typedef {import("../core/layer-parameters.js").Parameters} Parameters */
/** @typedef {{tensor: string, batch: number, row: number, col: number}} Place */

/** @param {string} name */
export const isParameter = (name) => MATRICES.includes(name);

/**
 * Key of why parameters cannot become explicit weights; null if they can.
 * @param {Question} question @param {Answer} answer @param {Page["limits"]} limits
 */
export function obstacleOf({ model }, { reply }, { max_body_numbers: most }) {
  const { num_layers, batch, n, d_model, num_heads, num_kv_heads, d_k, d_v } = reply.shape;
  if (model.source === "explicit") return null;
  if (num_layers > 1) return "layers";
  if (!isPlain(reply)) return "block";
  if (!staysWords(model, 0) && raggedX(reply)) return "ragged";
  return d_model * (batch * n + (num_heads + num_kv_heads) * (d_k + d_v)) > most ? "large" : null;
}

/**
 * Whether the question keeps its words: in a seeded model, seed and positions define x.
 * @param {Model} model @param {number} layer
 */
const staysWords = ({ source }, layer) => source === "seeded" && layer === 0;

/** Texts of different lengths have no common x without padding. @param {Reply} reply */
export const raggedX = ({ lengths, context_lengths }) => new Set(lengths).size > 1 || new Set(context_lengths).size > 1;

/** @param {Question} question @returns {Question} */
export function onePlainLayer(question) {
  const model = { ...question.model, num_layers: 1, block: "attention", mlp: false };
  return { ...question, model, drop: droppedOf(question, 0) };
}

/** @param {Question} question @param {number} layer @returns {[number, number][]} */
const droppedOf = ({ drop }, layer) => drop.flatMap(([at, head]) => (at === layer ? [[0, head]] : []));

/** @param {Question} question @param {Answer} answer @param {number} batch */
export function withOneText(question, { reply }, batch) {
  const line = (/** @type {string | null} */ box) => textsOf(box, question.breaks)[batch];
  const { text, x, tokens, context, context_x, context_tokens } = question;
  const next = { ...question, pair: question.pair && line(question.pair) };
  if (x) next.x = /** @type {any} */ (x)[batch];
  if (x || tokens) next.tokens = labels(reply, batch);
  else next.text = line(text);
  if (!hasContext(question)) return next;
  if (context_x) next.context_x = /** @type {any} */ (context_x)[batch];
  if (context_x || context_tokens) next.context_tokens = labels(wordsOf(reply, "key"), batch);
  else next.context = line(context);
  return next;
}

/** Input of a layer, without padding. @param {Answer} answer @param {number} layer */
export const xOf = (answer, layer) => inputOf(answer, layer, "x", answer.reply.lengths);

/** @param {Answer} answer @param {number} layer @param {"x" | "context"} name @param {number[]} lengths */
function inputOf({ tensors }, layer, name, lengths) {
  const tensor = tensors.get(`layers.${layer}.${name}`);
  if (!tensor) throw new Error(`no ${name} in the answer`);
  const [batch, n, width] = tensor.shape;
  const all = Array.from({ length: batch }, (_, at) =>
    rowsOf(tensor.values.subarray(at * n * width, (at * n + lengths[at]) * width), width),
  );
  return batch === 1 ? all[0] : all;
}

/** @param {{tokens: (string | null)[][] | null, lengths: number[]}} words @param {number} batch */
export function labels({ tokens, lengths }, batch) {
  return tokens && /** @type {string[]} */ (tokens[batch].slice(0, lengths[batch]));
}

/** @param {{tokens: (string | null)[][] | null, lengths: number[]}} words */
export function labelsOfAll(words) {
  const all = words.lengths.map((_, batch) => labels(words, batch));
  return all.length === 1 ? all[0] : words.tokens && /** @type {string[][]} */ (all);
}

/**
 * Replaces the words by the numbers of x; the words become labels of its rows.
 * @param {Question} question @param {Answer} answer @param {number} [layer]
 */
export function withX(question, answer, layer = 0) {
  if (question.x && layer === 0) return question;
  return { ...question, text: "", tokens: labelsOfAll(answer.reply), x: xOf(answer, layer) };
}

/** @param {Question} question @param {Answer} answer */
function withContextX(question, answer) {
  const { reply } = answer;
  if (!reply.context_lengths || question.context_x) return question;
  const context_x = inputOf(answer, 0, "context", reply.context_lengths);
  return { ...question, context: "", context_tokens: labelsOfAll(wordsOf(reply, "key")), context_x };
}

/**
 * Writes the weights of one layer into the question.
 * @param {Page} page @param {Question} question @param {Answer} answer @param {Parameters} parameters
 * @param {number} [layer] @returns {Question}
 */
export function explicitOf(page, question, answer, parameters, layer = 0) {
  const { model } = question;
  if (model.source === "explicit") return question;
  const { num_heads, num_kv_heads } = answer.reply.shape;
  const shared = num_kv_heads === num_heads ? null : num_kv_heads;
  const { seed = 0, positions = "none" } = model;
  const sizes = { num_heads, num_kv_heads: shared, seed, positions };
  const numbers = staysWords(model, layer) ? question : withContextX(withX(question, answer, layer), answer);
  const dtype = question.dtype ?? (answer.reply.dtype === "float64" ? null : answer.reply.dtype);
  const own = Object.fromEntries(Object.entries(parameters).filter(([name]) => isParameter(name)));
  const explicit = { ...defaultModel(page, "explicit"), ...sizes, ...own };
  return { ...numbers, dtype, drop: droppedOf(question, layer), model: explicit };
}

/**
 * @param {Question} question @param {Place} place @returns {number | null}
 */
export function numberAt(question, { tensor, batch, row, col }) {
  const rows = /** @type {any} */ (tensor === "x" ? sentenceOf(question.x, batch) : question.model[tensor]);
  if (!rows) return null;
  return (Array.isArray(rows[0]) ? rows[row]?.[col] : rows[col]) ?? null;
}

/** @param {any} x @param {number} batch */
const sentenceOf = (x, batch) => (Array.isArray(x?.[0]?.[0]) ? x[batch] : x);

/**
 * Changes one of the numbers in `question`. The copy shares unchanged rows.
 * @param {Question} question @param {Place} place @param {number} value @returns {Question}
 */
export function withNumber(question, { tensor, batch, row, col }, value) {
  if (tensor !== "x") {
    const model = { ...question.model, [tensor]: changed(question.model[tensor], row, col, value) };
    return { ...question, model };
  }
  const { x } = /** @type {any} */ (question);
  const nested = Array.isArray(x[0][0]);
  const next = changed(nested ? x[batch] : x, row, col, value);
  return { ...question, x: nested ? x.with(batch, next) : next };
}

/** @param {any[]} rows @param {number} row @param {number} col @param {number} value */
function changed(rows, row, col, value) {
  return Array.isArray(rows[0]) ? rows.with(row, rows[row].with(col, value)) : rows.with(col, value);
}

/** An answer: the arrays of a trace, and its reply. */

import { decode } from "../lib/safetensors.js";
import { headAxis } from "./page.js";
import { decoded, partsOf } from "./pieces.js";

/** @typedef {import("./page.js").Stage} Stage */
/** @typedef {{batch: number, layer: number, head: number}} Selection */
/** @typedef {{rows: number, cols: number, values: Float64Array | Float32Array, coarse?: import("../lib/coarse.js").Coarse, left?: number[]}} Block `left`: columns that were left out */

/**
 * @typedef {Object} Reply
 * @property {string} trace
 * @property {(string | null)[][] | null} tokens null where x was given without them
 * @property {([number, number] | null)[][] | null} offsets of each token in its text, in characters; null where a text is
 * so long that its tokens come in replies of their own (core/token-windows.js)
 * @property {(boolean | null)[][] | null} added whether the model's tokenizer added the token
 * @property {(boolean | null)[][]} [unknown] whether it replaces text without a piece
 * @property {{code: string, message: string}[]} notes differences from the model's own forward pass
 * @property {(boolean | null)[][]} [continues] whether the token continues the word before it
 * @property {(boolean | null)[][]} [context_continues]
 * @property {string} [merged] how pieces became words, where tokens are words
 * @property {(number | null)[][]} [sentences] of two that are read together: 0 or 1 for each token
 * @property {number[]} lengths
 * @property {(string | null)[][] | null} context_tokens
 * @property {number[] | null} context_lengths null in self-attention
 * @property {{batch: number, num_layers: number, num_heads: number, num_kv_heads: number, n: number, m: number, d_model: number, d_k: number, d_v: number}} shape
 * @property {number} scale
 * @property {number} temperature
 * @property {string} dtype
 * @property {string[]} holds the words that choose between the variants of a stage's formula
 * @property {("self" | "context")[]} [attends_to] of a decoder, whose layers take turns: whose keys each has
 * @property {number} [mlp_width] hidden numbers of an MLP, where there is one
 * @property {string[]} [context_holds] what holds in those that attend to the context
 * @property {string[]} [stages] of a capture: those that are there
 * @property {number} [encoder_layers] how many of the first layers are an encoder's, whose words are the context's
 * @property {string[]} [encoder_holds] what holds in these
 * @property {Reply} [whole] of one layer's reply, that of all layers
 * @property {{max_row_sum_error: number | null, fully_masked_rows: number | null, non_finite: number | null, max_reference_error: number | null, max_capture_error?: number | null}} checks null: numbers are computed on request
 * @property {number} [whole_tokens] of a text whose maps are never whole: how many of its tokens would have them; 0 where
 * fewer help nothing
 * @property {number} [gradient_tokens] of a text whose maps are whole but too large to be derived: how many of its tokens
 * have gradients
 * @property {number} elapsed_ms
 */

export class Answer {
  /** @type {import("./exact-numbers.js").ExactNumbers | undefined} of one whose stages are pictures */
  numbers;

  /**
   * @param {ArrayBuffer} bytes the safetensors reply
   * @param {number[] | null} heads the heads that were asked for; null: all
   */
  constructor(bytes, heads) {
    const { metadata, tensors } = decode(bytes);
    /** @type {Reply} */
    this.reply = JSON.parse(metadata.attnscope);
    this.tensors = tensors;
    this.heads = heads;
  }

  /**
   * The same numbers with the reply's fields of one layer.
   * @param {number} layer
   * @returns {Answer}
   */
  at(layer) {
    const reply = replyAt(this.reply, layer);
    if (reply === this.reply) return this;
    if (!seen.has(reply)) seen.set(reply, Object.assign(Object.create(Answer.prototype), this, { reply }));
    return /** @type {Answer} */ (seen.get(reply));
  }

  /**
   * The two last axes of a stage; null where this answer does not hold it.
   * @param {Stage} stage
   * @param {Selection} selection
   * @returns {Block | null}
   */
  block(stage, { batch, layer, head }) {
    const tensor = this.tensors.get(`layers.${layer}.${stage.name}`);
    const index = this.headIndex(stage, head);
    if (!tensor || index < 0 || batch >= tensor.shape[0]) return null;
    const [rows, cols] = tensor.shape.slice(-2);
    const heads = headAxis(stage) ? tensor.shape[1] : 1;
    const start = (batch * heads + index) * rows * cols;
    return { rows, cols, values: tensor.values.subarray(start, start + rows * cols) };
  }

  /**
   * Index of a head in the array: several heads may share one key/value head.
   * @param {Stage} stage
   * @param {number} head
   */
  headIndex(stage, head) {
    const own = this.ownHead(stage, head);
    if (!this.heads || headAxis(stage) === null) return own;
    return [...new Set(this.heads.map((each) => this.ownHead(stage, each)))].indexOf(own);
  }

  /**
   * The number of a head among a stage's own: of the key/value head that serves it in k and v.
   * @param {Stage} stage
   * @param {number} head
   */
  ownHead(stage, head) {
    const axis = headAxis(stage);
    if (axis === "kv_head") return kvHeadOf(this.reply.shape, head);
    return axis === "head" ? head : 0;
  }
}

/** @type {WeakMap<Reply, Answer>} an answer by its reply of one layer */
const seen = new WeakMap();
/** @type {WeakMap<Reply, Reply[]>} of layers that attend to their own text, to the context, and of an encoder's */
const turns = new WeakMap();

/** @param {Reply} reply of one layer or of all */
export const wholeOf = (reply) => reply.whole ?? reply;

/**
 * Whether a layer is an encoder's.
 * @param {Pick<Reply, "encoder_layers">} reply of any layer
 * @param {number} layer
 */
export const encodes = ({ encoder_layers = 0 }, layer) => layer < encoder_layers;

/**
 * What a reply says of one layer: in a decoder only those that attend to the context have one, and those of an encoder
 * have its words alone.
 * @param {Reply} reply of any layer
 * @param {number} layer
 */
export function replyAt(reply, layer) {
  const whole = wholeOf(reply);
  const { attends_to, context_tokens, context_lengths, context_continues, shape } = whole;
  if (!attends_to) return reply;
  if (!turns.has(whole)) {
    const own = { context_tokens: null, context_lengths: null, shape: { ...shape, m: shape.n } };
    const words = {
      tokens: context_tokens,
      continues: context_continues,
      lengths: context_lengths ?? [],
      shape: { ...shape, n: shape.m },
    };
    const source = { ...own, ...words, holds: whole.encoder_holds ?? [] };
    const kinds = [own, { holds: whole.context_holds ?? [] }, source];
    turns.set(
      whole,
      kinds.map((each) => ({ ...whole, ...each, whole })),
    );
  }
  const kind = encodes(whole, layer) ? 2 : Number(attends_to[layer] === "context");
  return /** @type {Reply[]} */ (turns.get(whole))[kind];
}

/**
 * The key/value head that serves a head: they serve groups of equal size, in order.
 * @param {Reply["shape"]} shape
 * @param {number} head
 */
export const kvHeadOf = ({ num_heads, num_kv_heads }, head) => Math.floor((head * num_kv_heads) / num_heads);

/**
 * Whether there is only attention: no residual, norm or MLP.
 * @param {Pick<Reply, "holds">} reply
 */
export const isPlain = ({ holds }) => holds.includes("attention") && !holds.includes("mlp");

/** @typedef {{text: string, index: number | null, joined?: boolean, char?: string}} Label the token as it is, with its white space; `joined`: it continues a word; `char`: of a piece with bytes of a character */

/** @type {WeakMap<Reply, Map<string, Label[]>>} */
const labels = new WeakMap();

/**
 * The tokens an axis counts, how many of each sentence are real, and how many places there are:
 * the keys are the context's, where there is one.
 * @param {Reply} reply
 * @param {string} axis
 */
export function wordsOf(reply, axis) {
  const { tokens, lengths, continues, context_tokens, context_lengths, context_continues, shape } = reply;
  return axis === "key" && context_lengths
    ? { tokens: context_tokens, lengths: context_lengths, continues: context_continues, size: shape.m }
    : { tokens, lengths, continues, size: shape.n };
}

/**
 * Tokens of one sentence, or of its context, as labels: a word that occurs twice carries its index.
 * @param {Reply} reply
 * @param {number} batch
 * @param {string} [axis]
 * @returns {Label[]}
 */
export function labelsOf(reply, batch, axis = "query") {
  const known = labels.get(reply) ?? new Map();
  labels.set(reply, known);
  const key = `${reply.context_lengths ? axis : "query"} ${batch}`; // else the keys are the same tokens
  if (!known.has(key)) known.set(key, makeLabels(wordsOf(reply, axis), batch));
  return known.get(key);
}

/**
 * The characters that pieces have bytes of, together with their neighbours.
 * @param {(string | null)[]} tokens
 * @param {(boolean | null)[] | undefined} flags whether each continues a word
 */
function charsOf(tokens, flags) {
  /** @type {{bytes: string}[]} */
  const runs = [];
  tokens.forEach((token, at) => {
    if (!flags || !/^(<[\dA-F]{2}>)+$/.test(token ?? "")) return;
    runs[at] = (flags[at] && runs[at - 1]) || { bytes: "" };
    runs[at].bytes += token;
  });
  return runs.map(({ bytes }) => decoded(bytes));
}

/**
 * @param {ReturnType<typeof wordsOf>} words
 * @param {number} batch
 * @returns {Label[]}
 */
function makeLabels(words, batch) {
  const tokens = words.tokens?.[batch] ?? Array.from({ length: words.size }, (_, at) => String(at));
  const flags = words.continues?.[batch];
  const chars = charsOf(tokens, flags);
  const names = tokens.map((token, at) => token && (chars[at] || partsOf(token).word));
  const count = new Map();
  for (const name of names) count.set(name, (count.get(name) ?? 0) + 1);
  return tokens.map((token, index) => ({
    text: token ?? "",
    index: token !== null && count.get(names[index]) > 1 ? index : null,
    ...(flags?.[index] && { joined: true }),
    ...(chars[index] && { char: chars[index] }),
  }));
}

import { decode } from "../lib/safetensors.js";
import { headAxis } from "./page.js";
import { decoded, partsOf } from "./pieces.js";

/** @typedef {{batch: number, layer: number, head: number}} Selection */
export class Answer {
  /** @type {import("./exact-numbers.js").ExactNumbers | undefined} */
  numbers;

  /** @param {ArrayBuffer} bytes safetensors @param {number[] | null} heads null: all heads */
  constructor(bytes, heads) {
    const { metadata, tensors } = decode(bytes);
    /** @type {Reply} */
    this.reply = JSON.parse(metadata.attnscope);
    this.tensors = tensors;
    this.heads = heads;
  }

  /** @param {number} layer */
  at(layer) {
    const reply = replyAt(this.reply, layer);
    if (reply === this.reply) return this;
    if (!seen.has(reply)) seen.set(reply, Object.assign(Object.create(Answer.prototype), this, { reply }));
    return /** @type {Answer} */ (seen.get(reply));
  }

  /**
   * Null if stage, head or text is missing.
   * @param {Stage} stage @param {Selection} selection @returns {Block | null}
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

  /** Index in the stage's tensor, where heads may share k and v; −1: none. @param {Stage} stage @param {number} head */
  headIndex(stage, head) {
    const own = this.ownHead(stage, head);
    if (!this.heads || headAxis(stage) === null) return own;
    return [...new Set(this.heads.map((each) => this.ownHead(stage, each)))].indexOf(own);
  }

  /** @param {Stage} stage @param {number} head */
  ownHead(stage, head) {
    const axis = headAxis(stage);
    if (axis === "kv_head") return kvHeadOf(this.reply.shape, head);
    return axis === "head" ? head : 0;
  }
}

/** @type {WeakMap<Reply, Answer>} */
const seen = new WeakMap();
/** @type {WeakMap<Reply, Reply[]>} */
const turns = new WeakMap();

/** @param {Reply} reply */
export const wholeOf = (reply) => reply.whole ?? reply;

/** @param {Pick<Reply, "encoder_layers">} reply @param {number} layer */
export const encodes = ({ encoder_layers = 0 }, layer) => layer < encoder_layers;

/**
 * The reply for a layer: encoder layers have the context as text, and only cross-attention layers have a context.
 * @param {Reply} reply of any layer @param {number} layer
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
    const kinds = [own, { holds: whole.context_holds ?? [] }, source].map((each) => ({ ...whole, ...each, whole }));
    turns.set(whole, kinds);
  }
  const kind = encodes(whole, layer) ? 2 : Number(attends_to[layer] === "context");
  return /** @type {Reply[]} */ (turns.get(whole))[kind];
}

/** Consecutive query heads share a key/value head (GQA). @param {Reply["shape"]} shape @param {number} head */
export const kvHeadOf = ({ num_heads, num_kv_heads }, head) => Math.floor((head * num_kv_heads) / num_heads);

/** Whether layers have attention only: no residual, norm or MLP. @param {Pick<Reply, "holds">} reply */
export const isPlain = ({ holds }) => holds.includes("attention") && !holds.includes("mlp");

/** @type {WeakMap<Reply, Map<string, Label[]>>} */
const labels = new WeakMap();

/** Tokens of an axis. If there is a context, its tokens are the keys. @param {Reply} reply @param {string} axis */
export function wordsOf(reply, axis) {
  const { tokens, lengths, continues, context_tokens, context_lengths, context_continues, shape } = reply;
  return axis === "key" && context_lengths
    ? { tokens: context_tokens, lengths: context_lengths, continues: context_continues, size: shape.m }
    : { tokens, lengths, continues, size: shape.n };
}

/** Repeated words get an index. @param {Reply} reply @param {number} batch @param {string} [axis] @returns {Label[]} */
export function labelsOf(reply, batch, axis = "query") {
  const known = labels.get(reply) ?? new Map();
  labels.set(reply, known);
  const key = `${reply.context_lengths ? axis : "query"} ${batch}`; // without a context, both axes have the same labels
  if (!known.has(key)) known.set(key, makeLabels(wordsOf(reply, axis), batch));
  return known.get(key);
}

/**
 * Characters of pieces that are bytes, such as <E6>.
 * @param {(string | null)[]} tokens @param {(boolean | null)[] | undefined} flags true: continues a word
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

/** @param {ReturnType<typeof wordsOf>} words @param {number} batch */
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

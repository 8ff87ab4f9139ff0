import { replyAt, wholeOf } from "./answer.js";
import { decoded } from "./pieces.js";

/** @typedef {"sum" | "mean" | "max"} Way */
/** @typedef {{keys: Way, queries: Way}} Ways */

/** @type {WeakMap<(boolean | null)[][], Span[][]>} */
const spans = new WeakMap();

/** Spans of pieces by text and word; null without pieces. @param {Reply} reply of the layer @param {string} axis */
export function spansOf({ continues, context_continues, context_lengths }, axis) {
  const flags = axis === "key" && context_lengths ? context_continues : continues;
  if (!flags) return null;
  const known = spans.get(flags) ?? flags.map(spansIn);
  spans.set(flags, known);
  return known;
}

/** @param {(boolean | null)[]} flags */
function spansIn(flags) {
  /** @type {Span[]} */
  const found = [];
  flags.forEach((flag, at) => {
    if (flag) found[found.length - 1][1] = at + 1;
    else if (flag === false) found.push([at, at + 1]);
  });
  return found;
}

/** @param {number} count @returns {Span[]} */
const singleSpans = (count) => Array.from({ length: count }, (_, at) => [at, at + 1]);

/** Whether some token continues a word and the text has whole maps. @param {Reply} reply */
export function hasPieces(reply) {
  const { continues, context_continues, whole_tokens } = wholeOf(reply);
  return Boolean(continues || context_continues) && whole_tokens === undefined;
}

/** Joins pieces without WordPiece's mark ##. @param {(string | null)[]} pieces */
const joinPieces = (pieces) =>
  decoded(pieces.map((piece, at) => (at ? piece?.replace(/^##(?=.)/, "") : piece)).join(""));

/**
 * @param {(boolean | null)[][] | null | undefined} flags @param {(string | null)[][] | null} tokens
 * @param {number[]} lengths
 */
function wordsOfSide(flags, tokens, lengths) {
  const each = flags ? flags.map(spansIn) : lengths.map(singleSpans);
  const size = Math.max(...each.map((words) => words.length));
  /** @template Value @param {(words: Span[], batch: number) => Value[]} make */
  const padded = (make) =>
    each.map((words, batch) => [...make(words, batch), ...Array(size - words.length).fill(null)]);
  return {
    size,
    lengths: each.map((words) => words.length),
    tokens: tokens && padded((words, batch) => words.map(([from, to]) => joinPieces(tokens[batch].slice(from, to)))),
    /** @param {any[][] | null | undefined} values */
    first: (values) => values && padded((words, batch) => words.map(([from]) => values[batch][from])),
  };
}

/** @type {WeakMap<Reply, Map<string, Reply>>} */
const replies = new WeakMap();

/** @param {Reply} whole of all layers @param {Ways} ways @returns {Reply} */
function wordReply(whole, { keys, queries }) {
  const merged = `${keys} ${queries}`;
  const known = replies.get(whole) ?? new Map();
  replies.set(whole, known);
  if (!known.has(merged)) known.set(merged, makeWordReply(whole, merged));
  return known.get(merged);
}

/** @param {Reply} whole @param {string} merged @returns {Reply} */
function makeWordReply(whole, merged) {
  const own = wordsOfSide(whole.continues, whole.tokens, whole.lengths);
  const { context_lengths, context_tokens } = whole;
  const other = context_lengths && wordsOfSide(whole.context_continues, context_tokens, context_lengths);
  return {
    ...whole,
    merged,
    tokens: own.tokens,
    lengths: own.lengths,
    offsets: own.first(whole.offsets) ?? null,
    added: own.first(whole.added) ?? null,
    unknown: own.first(whole.unknown) ?? undefined,
    sentences: own.first(whole.sentences) ?? undefined,
    continues: undefined,
    context_continues: undefined,
    ...(other && { context_tokens: other.tokens, context_lengths: other.lengths }),
    shape: { ...whole.shape, n: own.size, m: (other ?? own).size },
  };
}

/**
 * @param {ArrayLike<number>} values @param {number} cols @param {Span[]} words @param {Way} way
 * @param {number} size words of the result
 */
function mergedAlong(values, cols, words, way, size) {
  const rows = values.length / cols;
  const found = new Float64Array(rows * size);
  for (let row = 0; row < rows; row++)
    words.forEach(([from, to], word) => {
      let sum = 0;
      let most = -Infinity;
      for (let col = from; col < to; col++) {
        const value = values[row * cols + col];
        sum += value;
        most = Math.max(most, value);
      }
      found[row * size + word] = way === "max" ? most : way === "sum" ? sum : sum / (to - from);
    });
  return found;
}

/** @param {ArrayLike<number>} values @param {number} cols */
function transposed(values, cols) {
  const rows = values.length / cols;
  return Float64Array.from({ length: values.length }, (_, at) => values[(at % rows) * cols + Math.floor(at / rows)]);
}

export class WordAnswer {
  /** @param {Answer} pieces with numbers @param {Ways} ways @param {number} layer */
  constructor(pieces, ways, layer) {
    this.pieces = pieces;
    this.ways = ways;
    this.layer = layer;
    this.heads = pieces.heads;
    this.tensors = new Map();
    this.reply = replyAt(wordReply(wholeOf(pieces.reply), ways), layer);
  }

  /** @param {number} layer */
  at(layer) {
    return layer === this.layer ? this : new WordAnswer(this.pieces, this.ways, layer);
  }

  /** @param {Stage} stage @param {number} head */
  ownHead(stage, head) {
    return this.pieces.ownHead(stage, head);
  }

  /**
   * Merges weights, and masked scores to find closed words; null for other stages.
   * @param {Stage} stage @param {import("./answer.js").Selection} selection
   */
  block(stage, selection) {
    if (stage.name !== "weights" && stage.name !== "masked_scores") return null;
    const block = this.pieces.block(stage, selection);
    if (!block?.values) return null;
    const whole = wholeOf(this.pieces.reply);
    const { n, m } = replyAt(wordReply(whole, this.ways), selection.layer).shape;
    const reply = replyAt(whole, selection.layer);
    const words = (/** @type {string} */ axis, /** @type {number} */ size) =>
      spansOf(reply, axis)?.[selection.batch] ?? singleSpans(size);
    const { keys, queries } =
      stage.name === "weights" ? this.ways : /** @type {Ways} */ ({ keys: "max", queries: "max" });
    const across = mergedAlong(block.values, block.cols, words("key", block.cols), keys, m);
    const down = mergedAlong(transposed(across, m), block.rows, words("query", block.rows), queries, n);
    return { rows: n, cols: m, values: transposed(down, n) };
  }
}

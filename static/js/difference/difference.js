/** b − a of two answers with aligned tokens. */

import { byEdits, byPosition } from "./align.js";
import { labelsOf, wordsOf } from "../core/answer.js";
import { sides, stageOf } from "../core/page.js";
import { partsOf } from "../core/pieces.js";
import { pictureOf } from "../core/picture.js";

/** @typedef {import("./align.js").Pair} Pair */
/** @typedef {import("../core/answer.js").Selection} Selection */
/** @typedef {"position" | "edit"} Align */
/** @typedef {"a" | "b"} Side */

/**
 * @typedef {Object} Measure
 * @property {number} max of |b − a|
 * @property {number} mean of |b − a|
 * @property {number} cells with a number in both answers
 * @property {number} row of the maximum
 * @property {number} col
 * @property {number} masked cells that only one answer masks
 */

/** Implements the interface of Answer. */
export class Difference {
  /** @param {Page} page @param {Answer} a @param {Answer} b @param {Align} align */
  constructor(page, a, b, align) {
    this.page = page;
    this.a = a;
    this.b = b;
    this.align = align;
    /** @type {number[] | null} null if all */
    this.heads = null;
    this.tensors = a.tensors;
    /** @type {Map<string, Pair[]>} */
    this.pairs = new Map();
    /** @type {Map<string, Measure>} */
    this.measures = new Map();
    this.sides = { a: this.withCommonRange(a), b: this.withCommonRange(b) };
    this.reply = this.replyOf();
  }

  /** The answer with a colour range for both answers. @param {Answer} answer */
  withCommonRange(answer) {
    const trace = `${this.a.reply.trace} ${this.b.reply.trace} ${answer.reply.trace}`;
    /** @param {Stage} stage @param {Selection} selection */
    const span = (stage, selection) => {
      const both = [this.a, this.b].map((each) => pictureOf(this.page, each, stage, selection));
      return {
        size: Math.max(...both.map((picture) => picture?.size ?? 0)),
        most: Math.max(...both.map((picture) => picture?.most ?? 0)),
        keys: Math.max(...both.map((picture) => picture?.cols ?? 0)),
      };
    };
    const beside = Object.create(answer, {
      reply: { value: { ...answer.reply, trace } },
      extent: { value: span },
    });
    return /** @type {Answer} */ (beside);
  }

  replyOf() {
    const { a, b } = this;
    const count = Math.min(a.reply.shape.batch, b.reply.shape.batch);
    const [queries, keys] = [this.words("query", count), this.words("key", count)];
    const trace = `${a.reply.trace} ${b.reply.trace} ${this.align}`;
    const cross = a.reply.context_lengths || b.reply.context_lengths;
    return {
      ...a.reply,
      trace,
      tokens: queries.tokens,
      lengths: queries.lengths,
      continues: undefined, // `a.reply.continues` describes only tokens of `a`
      context_continues: undefined,
      context_tokens: cross ? keys.tokens : null,
      context_lengths: cross ? keys.lengths : null,
      shape: { ...a.reply.shape, batch: count, n: queries.size, m: keys.size },
    };
  }

  /** @param {string} axis @param {number} count of sentences */
  words(axis, count) {
    const batches = Array.from({ length: count }, (_, batch) => this.tokenPairs(batch, axis));
    const named = [this.a, this.b].every(({ reply }) => wordsOf(reply, axis).tokens !== null);
    const lengths = batches.map((pairs) => pairs.length);
    const tokens = named ? batches.map((pairs, batch) => pairs.map((pair) => this.name(pair, batch, axis))) : null;
    return { tokens, lengths, size: Math.max(...lengths) };
  }

  /** A byte is named by its character. @param {Pair} pair @param {number} batch @param {string} axis */
  name([i, j], batch, axis) {
    const charOf = (/** @type {Answer} */ { reply }, /** @type {number | null} */ at) => {
      const { text = "", char = text } = at === null ? {} : labelsOf(reply, batch, axis)[at];
      return char;
    };
    const [one, other] = [charOf(this.a, i), charOf(this.b, j)];
    const [word, otherWord] = [one, other].map((char) => partsOf(char).word);
    if (!one || !other || word === otherWord) return one || other;
    return `${partsOf(one).mark && " "}${word}/${otherWord}`;
  }

  /** @param {number} batch @param {string} [axis] */
  tokenPairs(batch, axis = "query") {
    const key = `${axis} ${batch}`;
    const known = this.pairs.get(key);
    if (known) return known;
    const [a, b] = [this.a.reply, this.b.reply].map((reply) => {
      const { tokens, lengths, size } = wordsOf(reply, axis);
      const real = lengths[batch] ?? size;
      const own = tokens?.[batch]?.slice(0, real);
      // Tokenizers differ in leading spaces.
      return (reply.merged ? own?.map((word) => word?.trim()) : own) ?? Array.from({ length: real }, (_, at) => at);
    });
    const pairs = this.align === "edit" ? byEdits(a, b) : byPosition(a.length, b.length);
    this.pairs.set(key, pairs);
    return pairs;
  }

  /**
   * Pairs of aligned tokens, or of equal feature indices.
   * @param {string} axis @param {number} batch @param {number} a size @param {number} b
   */
  along(axis, batch, a, b) {
    return axis === "query" || axis === "key" ? this.tokenPairs(batch, axis) : byPosition(a, b);
  }

  /**
   * −∞ where an answer has no number. A weight that only one answer masks counts as 0.
   * @param {Stage} stage @param {Selection} selection
   */
  block(stage, selection) {
    const [a, b] = [this.a.block(stage, selection), this.b.block(stage, selection)];
    if (!a || !b) return null;
    const axes = sides(stage);
    const rows = this.along(axes.rows, selection.batch, a.rows, b.rows);
    const cols = this.along(axes.cols, selection.batch, a.cols, b.cols);
    const masked = this.closedInBoth(stage, selection);
    const values = new Float64Array(rows.length * cols.length).fill(-Infinity);
    rows.forEach(([i, k], row) => {
      if (i === null || k === null) return;
      cols.forEach(([j, l], col) => {
        if (j === null || l === null || masked(i * a.cols + j, k * b.cols + l)) return;
        const by = b.values[k * b.cols + l] - a.values[i * a.cols + j];
        if (Number.isFinite(by)) values[row * cols.length + col] = by;
      });
    });
    return { rows: rows.length, cols: cols.length, values };
  }

  /** @param {Stage} stage @param {Selection} selection @returns {(a: number, b: number) => boolean} */
  closedInBoth(stage, selection) {
    if (stage.name !== "weights") return () => false;
    const masked = stageOf(this.page, "masked_scores");
    const [a, b] = [this.a.block(masked, selection), this.b.block(masked, selection)];
    return (i, j) => a?.values[i] === -Infinity && b?.values[j] === -Infinity;
  }

  /** @param {Stage} _ @param {number} head */
  ownHead(_, head) {
    return head;
  }

  /** Cell of a or b; null if unpaired. @template {Cell} C @param {C} cell @param {Side} side @param {number} batch */
  toSide(cell, side, batch) {
    return this.moveCell(cell, batch, (pairs, at) => pairs[at]?.[side === "a" ? 0 : 1] ?? null);
  }

  /**
   * Cell of the difference; null in padding.
   * @template {Cell} C @param {C} cell @param {Side} side @param {number} batch
   */
  fromSide(cell, side, batch) {
    const which = side === "a" ? 0 : 1;
    return this.moveCell(cell, batch, (pairs, at) => {
      const found = pairs.findIndex((pair) => pair[which] === at);
      return found < 0 ? null : found;
    });
  }

  /**
   * @template {Cell} C @param {C} cell @param {number} batch
   * @param {(pairs: Pair[], at: number) => number | null} place
   */
  moveCell(cell, batch, place) {
    const { rows, cols } = sides(stageOf(this.page, cell.stage));
    const along = (/** @type {string} */ axis, /** @type {number} */ at) =>
      axis === "query" || axis === "key" ? place(this.tokenPairs(batch, axis), at) : at;
    const [row, col] = [along(rows, cell.row), along(cols, cell.col)];
    return row === null || col === null ? null : { ...cell, row, col };
  }

  /** Null if an answer lacks the stage. @param {Stage} stage @param {Selection} selection */
  measure(stage, selection) {
    const key = `${stage.name} ${selection.batch} ${selection.layer} ${selection.head}`;
    const known = this.measures.get(key);
    if (known) return known;
    const picture = pictureOf(this.page, /** @type {any} */ (this), signed(stage), selection);
    if (!picture) return null;
    const measure = { max: 0, mean: 0, cells: 0, row: 0, col: 0, masked: this.maskedOnce(stage, selection) };
    for (let at = 0; at < picture.values.length; at++) {
      const size = Math.abs(picture.values[at]);
      if (size === Infinity) continue;
      measure.cells += 1;
      measure.mean += size;
      if (size <= measure.max) continue;
      const row = Math.floor(at / picture.cols);
      Object.assign(measure, { max: size, row, col: at % picture.cols });
    }
    measure.mean /= measure.cells || 1;
    this.measures.set(key, measure);
    return measure;
  }

  /** Cells that only one answer masks. @param {Stage} stage @param {Selection} selection */
  maskedOnce(stage, selection) {
    if (stage.name !== "masked_scores") return 0;
    const [a, b] = [this.a.block(stage, selection), this.b.block(stage, selection)];
    const [queries, keys] = ["query", "key"].map((axis) => this.tokenPairs(selection.batch, axis));
    let count = 0;
    for (const [i, k] of queries) {
      for (const [j, l] of keys) {
        if (!a || !b || i === null || j === null || k === null || l === null) continue;
        const closed = [a.values[i * a.cols + j], b.values[k * b.cols + l]].map((v) => v === -Infinity);
        count += Number(closed[0] !== closed[1]);
      }
    }
    return count;
  }
}

/** @param {Stage} stage @returns {Stage} */
export function signed(stage) {
  return { ...stage, kind: "difference" };
}

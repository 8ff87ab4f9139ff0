import { isClosed, valueAt } from "../lib/paint.js";
import { isMap, sides, stageOf } from "../core/page.js";
import { pictureOf } from "../core/picture.js";
import { selection } from "../core/state.js";
import { firstCell } from "../core/first-cell.js";

/** @typedef {NonNullable<View["step"]>} Step */
/**
 * @typedef {{row: number, col: number, feature: number, out: number}} Subject `row`: query; `col`: key; `feature`,
 * `out`: columns of head_outputs and output
 */
/** @typedef {{index: number, a: number, b: number | null, product: number, after?: number}} Term */
/** @typedef {{terms: Term[], rest: {count: number, sum: number}, total: number}} Sum */

/** Chapters and their seconds. */
export const CHAPTERS = /** @type {const} */ ([
  ["project", 8],
  ["scores", 14],
  ["scaled_scores", 4],
  ["masked_scores", 4],
  ["weights", 10],
  ["head_outputs", 9],
  ["concat", 4],
  ["output", 7],
  ["row", 5],
  ["rest", 4],
]);
export const LENGTH = CHAPTERS.reduce((sum, [, seconds]) => sum + seconds, 0);
const SHOWN = 16; // terms; the others are summed

/** @param {string} chapter */
export const indexOf = (chapter) =>
  Math.max(
    0,
    CHAPTERS.findIndex(([name]) => name === chapter),
  );

/** @param {Step} step */
export function secondsAt({ chapter, t }) {
  const index = indexOf(chapter);
  const before = CHAPTERS.slice(0, index).reduce((sum, [, seconds]) => sum + seconds, 0);
  return before + t * CHAPTERS[index][1];
}

/** @param {number} seconds */
export function stepAt(seconds) {
  let left = Math.max(0, Math.min(LENGTH, seconds));
  for (const [chapter, length] of CHAPTERS) {
    if (left < length) return { chapter, t: left / length };
    left -= length;
  }
  return { chapter: CHAPTERS[CHAPTERS.length - 1][0], t: 1 };
}

/** @param {Store} store @param {State} state @param {string} stage */
export function picture(store, state, stage) {
  return state.answer && pictureOf(store.page, state.answer, stageOf(store.page, stage), selection(state));
}

/**
 * Indices of the pinned cell; `firstCell`, the strongest key or 0 where its stage has none.
 * @param {Store} store @param {State} state @returns {Subject | null}
 */
export function subjectOf(store, state) {
  const best = firstCell(store, state);
  const map = picture(store, state, "weights");
  if (!best || !map) return null;
  const { cell, head } = state.view;
  if (!cell) return { ...best, feature: 0, out: 0 };
  const stage = stageOf(store.page, cell.stage);
  if (isMap(stage)) return { row: cell.row, col: cell.col, feature: 0, out: 0 };
  const { rows } = sides(stage);
  const row = rows === "query" ? cell.row : best.row;
  const key = rows === "key" ? cell.row : row === best.row ? best.col : strongestIn(map, row);
  const d_v = state.answer?.reply.shape.d_v ?? 1;
  const own = cell.stage === "concat" && Math.floor(cell.col / d_v) === head;
  const feature = own ? cell.col % d_v : ["head_outputs", "v"].includes(cell.stage) ? cell.col : 0;
  return { row, col: key, feature, out: cell.stage === "output" ? cell.col : 0 };
}

/** @param {Picture} map @param {number} row */
function strongestIn(map, row) {
  const weights = Array.from({ length: map.cols }, (_, col) => valueAt(map, row, col));
  return weights.indexOf(Math.max(...weights));
}

/** @param {State} state @param {Subject} subject @param {string} chapter */
export function cellOf({ answer, view }, { row, col, feature, out }, chapter) {
  const d_v = answer?.reply.shape.d_v ?? 1;
  const col_of = /** @type {Record<string, number>} */ ({
    head_outputs: feature,
    concat: view.head * d_v + feature,
    output: out,
  });
  if (chapter === "rest") return null;
  if (chapter === "project") return { stage: "q", row, col: 0 };
  const stage = chapter === "row" ? "weights" : chapter;
  return { stage, row, col: col_of[stage] ?? col };
}

/** The largest terms, and the sum of the rest. @param {Term[]} all @param {number} total */
export function sumOf(all, total) {
  const size = (/** @type {Term} */ { product }) => Math.abs(product);
  const largest = new Set(all.toSorted((a, b) => size(b) - size(a)).slice(0, SHOWN));
  const rest = all.filter((term) => !largest.has(term));
  return {
    terms: all.filter((term) => largest.has(term)),
    rest: { count: rest.length, sum: rest.reduce((sum, { product }) => sum + product, 0) },
    total,
  };
}

/** @param {number[]} left @param {number[]} right */
export function products(left, right) {
  return left.map((a, index) => ({ index, a, b: right[index], product: a * right[index] }));
}

/** Terms exp(score − max) of the open scores. @param {Store} store @param {State} state @param {number} row */
export function softmaxOf(store, state, row) {
  const scores = picture(store, state, "masked_scores");
  const weights = picture(store, state, "weights");
  if (!scores || !weights) return null;
  const open = Array.from({ length: scores.cols }, (_, col) => col).filter((col) => !isClosed(weights, row, col));
  const at = (/** @type {number} */ col) => valueAt(scores, row, col);
  const max = open.reduce((most, col) => Math.max(most, at(col)), -Infinity);
  const terms = open.map((index) => ({
    index,
    a: at(index),
    b: null,
    product: Math.exp(at(index) - max),
    after: valueAt(weights, row, index),
  }));
  const total = terms.reduce((sum, { product }) => sum + product, 0);
  return { max, ...sumOf(terms, total) };
}

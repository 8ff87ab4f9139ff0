/** The mask painted by hand, in every head: cells of `blocked`, or of `context_mask` where a decoder asks its context. */

import { ONE_TEXT } from "../core/question.js";

/** @typedef {import("../core/question.js").Question} Question */
/** @typedef {import("../core/state.js").State} State */
/** @typedef {{row: number, col: number}} At */

/** @typedef {{rows: number, cols: number} | null} Sheet the cells of a map of the context, null: of the text itself */

/** @param {Question} question @param {At} at @param {Sheet} [sheet] */
export const isBlocked = ({ blocked, context_mask }, { row, col }, sheet) =>
  sheet ? context_mask?.[row]?.[col] === 0 : blocked.some(([i, j]) => i === row && j === col);

/** How many cells are closed by hand. @param {Question} question @param {Sheet} sheet */
export const countOf = ({ blocked, context_mask }, sheet) =>
  sheet ? (context_mask ?? []).flat(Infinity).filter((cell) => !cell).length : blocked.length;

/** Whether the mask of a context is the same for every text and head, as a hand paints it. @param {Question} question */
export const isPaintable = ({ context_mask }) => !Array.isArray(context_mask?.[0]?.[0]);

/**
 * The question with cells closed by hand, or opened again.
 * @param {Question} question
 * @param {At[]} cells
 * @param {boolean} closed
 * @param {Sheet} [sheet]
 * @returns {Question}
 */
export function painted(question, cells, closed, sheet) {
  if (sheet) return { ...question, context_mask: paintedOver(question.context_mask, cells, closed, sheet) };
  const places = new Map(question.blocked.map((cell) => [cell.join(), cell]));
  for (const { row, col } of cells) {
    if (closed) places.set(`${row},${col}`, [row, col]);
    else places.delete(`${row},${col}`);
  }
  const blocked = [...places.values()].toSorted(([i, j], [k, l]) => i - k || j - l);
  return { ...question, blocked };
}

/**
 * @param {number[][] | null} mask
 * @param {At[]} cells
 * @param {boolean} closed
 * @param {{rows: number, cols: number}} size
 * @returns {number[][] | null} null where every cell is open
 */
function paintedOver(mask, cells, closed, { rows, cols }) {
  const next = Array.from({ length: rows }, (_, i) => Array.from({ length: cols }, (_, j) => mask?.[i]?.[j] ?? 1));
  for (const { row, col } of cells) next[row][col] = Number(!closed);
  return next.flat().includes(0) ? next : null;
}

/**
 * The cells of a straight stroke, both ends included.
 * @param {At} from
 * @param {At} to
 * @returns {At[]}
 */
export function stroke(from, to) {
  const [down, right] = [to.row - from.row, to.col - from.col];
  const steps = Math.max(Math.abs(down), Math.abs(right));
  return Array.from({ length: steps + 1 }, (_, step) => ({
    row: from.row + Math.round((down * step) / (steps || 1)),
    col: from.col + Math.round((right * step) / (steps || 1)),
  }));
}

/**
 * The masks of a self-attention as painted cells, so that each can be opened.
 * @param {Question} question
 * @param {import("../core/answer.js").Block} masked the masked scores of any head
 * @param {{rows: number, cols: number}} real rows and columns before the padding
 * @returns {Question}
 */
export function allPainted(question, { values, cols: width }, { rows, cols }) {
  /** @type {[number, number][]} */
  const blocked = [];
  for (let row = 0; row < rows; row++)
    for (let col = 0; col < cols; col++) if (values[row * width + col] === -Infinity) blocked.push([row, col]);
  return { ...question, ...ONE_TEXT, blocked };
}

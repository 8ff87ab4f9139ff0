/** The mask painted by hand: cells of `blocked`, in every head. */

import { ONE_TEXT } from "../core/question.js";

/** @typedef {import("../core/question.js").Question} Question */
/** @typedef {import("../core/state.js").State} State */
/** @typedef {{row: number, col: number}} At */

/** @param {Question} question @param {At} at */
export const isBlocked = ({ blocked }, { row, col }) => blocked.some(([i, j]) => i === row && j === col);

/**
 * The question with cells closed by hand, or opened again.
 * @param {Question} question
 * @param {At[]} cells
 * @param {boolean} closed
 * @returns {Question}
 */
export function painted(question, cells, closed) {
  const places = new Map(question.blocked.map((cell) => [cell.join(), cell]));
  for (const { row, col } of cells) {
    if (closed) places.set(`${row},${col}`, [row, col]);
    else places.delete(`${row},${col}`);
  }
  const blocked = [...places.values()].toSorted(([i, j], [k, l]) => i - k || j - l);
  return { ...question, blocked };
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

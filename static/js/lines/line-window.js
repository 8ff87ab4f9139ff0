/** The tokens of a long text on either side of the lines: consecutive ones, and those with most weight from them. */

import { largest } from "../lib/largest.js";

/** @typedef {"query" | "key"} Axis */
/** @typedef {{row: number, col: number, weight: number}} Line */
/** @typedef {(row: number, col: number) => number} WeightAt −∞ where a cell is closed */
/** @typedef {{lead: Axis, from: number, to: number}} Part of one side: from a token to before another */

export const WHOLE = 64; // tokens of a side that are drawn as they are
const LEAD = 24; // tokens that follow each other
const LEAST = 4; // of them, however long the text
const NUMBERS = 400_000; // that are read for them
const MET = 32; // tokens on the other side
export const EACH = 3; // lines that each of them has, however faint

/**
 * The tokens around one; those that were seen before stay as long as it is among them.
 * @param {Axis} lead the side that they are of
 * @param {{own: number, others: number}} sizes tokens of either side
 * @param {number} at
 * @param {Part | null} before
 * @returns {Part}
 */
export function partAround(lead, { own, others }, at, before) {
  const size = Math.min(own, Math.max(LEAST, Math.min(LEAD, Math.floor(NUMBERS / others))));
  if (
    before?.lead === lead &&
    before.to - before.from === size &&
    before.to <= own &&
    at >= before.from &&
    at < before.to
  )
    return before;
  const from = Math.max(0, Math.min(own - size, at - Math.floor(size / 2)));
  return { lead, from, to: from + size };
}

/** The cell of a token of a part and one of the other side. @param {Axis} lead @param {number} own @param {number} other @returns {[number, number]} */
const cellOf = (lead, own, other) => (lead === "query" ? [own, other] : [other, own]);

/**
 * The strongest lines of each token of a part, in its order.
 * @param {Part} part
 * @param {number} others tokens of the other side
 * @param {WeightAt} weightAt
 * @returns {Line[][]}
 */
export function strongestOf({ lead, from, to }, others, weightAt) {
  return Array.from({ length: to - from }, (_, at) => {
    const lines = [];
    for (let other = 0; other < others; other++) {
      const [row, col] = cellOf(lead, from + at, other);
      const weight = weightAt(row, col);
      if (weight > 0) lines.push({ row, col, weight });
    }
    return lines.toSorted((a, b) => b.weight - a.weight).slice(0, EACH);
  });
}

/**
 * The tokens of the other side that a part meets, in their order: the one that each of its own meets most, and of the rest
 * those with the largest weights.
 * @param {Part} part
 * @param {Line[][]} strongest
 * @returns {number[]}
 */
export function metBy({ lead }, strongest) {
  const otherOf = (/** @type {Line} */ { row, col }) => (lead === "query" ? col : row);
  const first = new Set(strongest.flatMap(([line]) => (line ? [otherOf(line)] : [])));
  /** @type {Map<number, number>} */
  const rest = new Map();
  for (const line of strongest.flat()) {
    const other = otherOf(line);
    if (!first.has(other)) rest.set(other, Math.max(rest.get(other) ?? 0, line.weight));
  }
  const more = largest([...rest], Math.max(0, MET - first.size), ([, weight]) => weight);
  return [...first, ...more.map(([other]) => other)].toSorted((a, b) => a - b);
}

/**
 * The lines between a part and those it meets: from a weight on, and the strongest of each however faint.
 * @param {{query: number[], key: number[]}} sides
 * @param {Axis} lead
 * @param {number} least
 * @param {WeightAt} weightAt
 * @returns {Line[]}
 */
export function linesBetween(sides, lead, least, weightAt) {
  const others = sides[lead === "query" ? "key" : "query"];
  return sides[lead].flatMap((own) => {
    const all = others.map((other) => {
      const [row, col] = cellOf(lead, own, other);
      return { row, col, weight: weightAt(row, col) };
    });
    const open = all.filter(({ weight }) => weight > 0).toSorted((a, b) => b.weight - a.weight);
    return open.filter(({ weight }, at) => at < EACH || weight >= least);
  });
}

/** A window of a long text: consecutive tokens of the leading side, and partners with large weights on the other. */

import { largest } from "../lib/largest.js";

/** @typedef {{row: number, col: number, weight: number}} Line */
/** @typedef {(row: number, col: number) => number} WeightAt −∞: closed */
/** @typedef {{lead: Axis, from: number, to: number}} Part [from, to) of the leading side */

export const WHOLE = 64; // tokens; a longer text has a window
const LEAD = 24; // most tokens of a window
const LEAST = 4; // fewest tokens
const NUMBERS = 400_000; // most weights read to find partners
const MOST_PARTNERS = 32; // most partners
export const LINES_PER_TOKEN = 3; // strongest lines per token, shown at any threshold

/**
 * The window around a token; the previous one stays while it contains the token.
 * @param {Axis} lead @param {{own: number, others: number}} sizes @param {number} at @param {Part | null} before
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

/** @param {Axis} lead @param {number} own @param {number} other @returns {Span} */
const cellOf = (lead, own, other) => (lead === "query" ? [own, other] : [other, own]);

/** @param {Part} part @param {number} others @param {WeightAt} weightAt */
export function strongestOf({ lead, from, to }, others, weightAt) {
  return Array.from({ length: to - from }, (_, at) => {
    const lines = [];
    for (let other = 0; other < others; other++) {
      const [row, col] = cellOf(lead, from + at, other);
      const weight = weightAt(row, col);
      if (weight > 0) lines.push({ row, col, weight });
    }
    return lines.toSorted((a, b) => b.weight - a.weight).slice(0, LINES_PER_TOKEN);
  });
}

/** Partners, ascending. @param {Part} part @param {Line[][]} strongest */
export function partnersOf({ lead }, strongest) {
  const otherOf = (/** @type {Line} */ { row, col }) => (lead === "query" ? col : row);
  const first = new Set(strongest.flatMap(([line]) => (line ? [otherOf(line)] : [])));
  /** @type {Map<number, number>} */
  const rest = new Map();
  for (const line of strongest.flat()) {
    const other = otherOf(line);
    if (!first.has(other)) rest.set(other, Math.max(rest.get(other) ?? 0, line.weight));
  }
  const more = largest([...rest], Math.max(0, MOST_PARTNERS - first.size), ([, weight]) => weight);
  return [...first, ...more.map(([other]) => other)].toSorted((a, b) => a - b);
}

/**
 * @param {Record<Axis, number[]>} sides @param {Axis} lead @param {number} least @param {WeightAt} weightAt
 */
export function linesBetween(sides, lead, least, weightAt) {
  const others = sides[lead === "query" ? "key" : "query"];
  return sides[lead].flatMap((own) => {
    const all = others.map((other) => {
      const [row, col] = cellOf(lead, own, other);
      return { row, col, weight: weightAt(row, col) };
    });
    const open = all.filter(({ weight }) => weight > 0).toSorted((a, b) => b.weight - a.weight);
    return open.filter(({ weight }, at) => at < LINES_PER_TOKEN || weight >= least);
  });
}

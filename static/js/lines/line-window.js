/**
 * A window of a long text: consecutive tokens of the leading side, and partners with large weights on the other.
 */

import { sides, stageOf } from "../core/page.js";
import { windowsOf } from "../core/token-windows.js";
import { largest } from "../lib/largest.js";
import { isClosed, valueAt } from "../lib/paint.js";

/** @typedef {{row: number, col: number, weight: number}} Line */
/** @typedef {(row: number, col: number) => number} WeightAt −∞: closed */
/** @typedef {{lead: Axis, from: number, to: number}} Part [from, to) of the leading side */

export const WHOLE = 64; // tokens; a longer text has a window
const LEAD = 24; // most tokens of a window
const LEAST = 4; // fewest tokens
const NUMBERS = 400_000; // most weights read to find partners
const MOST_PARTNERS = 32;
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

/** Partners, ascending: each token's strongest, then others. @param {Part} part @param {Line[][]} strongest */
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

const READER = "lines";

/** @param {Picture} picture @returns {WeightAt} */
export const weightIn = (picture) => (row, col) =>
  isClosed(picture, row, col) ? -Infinity : valueAt(picture, row, col);

export class ShownTokens {
  /** @type {Part | null} window of a long text */
  part = null;
  /** @type {Record<Axis, number[]>} */
  sides = { query: [], key: [] };
  waits = false; // numbers are loading
  sidesKey = ""; // key of `sides`
  goal = ""; // last `goalOf`, as a key
  trace = "";

  /** @param {Store} store */
  constructor(store) {
    this.store = store;
  }

  /** @param {Picture} seen @param {Axis} lead */
  sizes({ rows, cols, realRows = rows, realCols = cols }, lead) {
    const [queries, keys] = [Math.min(rows, realRows), Math.min(cols, realCols)];
    return lead === "query" ? { own: queries, others: keys } : { own: keys, others: queries };
  }

  /** @param {State} state @param {Picture} seen @returns whether `sides` is up to date */
  find(state, seen) {
    if (Math.max(seen.rows, seen.cols) <= WHOLE) {
      const all = (/** @type {number} */ count) => Array.from({ length: count }, (_, at) => at);
      this.part = null;
      this.sides = { query: all(seen.rows), key: all(seen.cols) };
      return true;
    }
    this.follow(state, seen);
    return this.findPartners(state, seen, /** @type {Part} */ (this.part));
  }

  /** @param {State} state @param {Picture} seen */
  follow(state, seen) {
    const goal = this.goalOf(state);
    const { trace: own = "", merged = "" } = state.answer?.reply ?? {};
    const trace = own + merged; // words and pieces have different indices
    const goalKey = goal ? `${goal.axis} ${goal.at}` : "";
    const fresh = trace !== this.trace;
    const moved = goal && (fresh || (goalKey !== this.goal && !this.sides[goal.axis].includes(goal.at)));
    [this.trace, this.goal] = [trace, goalKey];
    if (moved) this.turn(seen, goal.axis, goal.at, this.part);
    else this.turn(seen, this.part?.lead ?? "query", this.part?.from ?? 0, this.part);
  }

  /**
   * The last picked token, else the row of the pinned cell.
   * @param {State} state @returns {Pointed | null}
   */
  goalOf({ view: { picked, cell } }) {
    if (picked) return { axis: picked.axis, at: picked.at[picked.at.length - 1] };
    if (!cell) return null;
    const { rows } = sides(stageOf(this.store.page, cell.stage));
    return rows === "query" || rows === "key" ? { axis: rows, at: cell.row } : null;
  }

  /** @param {Picture} seen @param {Axis} lead @param {number} at @param {Part | null} before */
  turn(seen, lead, at, before) {
    const sizes = this.sizes(seen, lead);
    this.part = partAround(lead, sizes, Math.max(0, Math.min(sizes.own - 1, at)), before);
  }

  /** @param {Picture} seen @param {number} by */
  page(seen, by) {
    if (!this.part) return;
    const { lead, from, to } = this.part;
    const size = to - from;
    this.turn(seen, lead, from + by * size + Math.floor(size / 2), null);
  }

  /** @param {State} state @param {Picture} seen @param {Part} part */
  findPartners({ answer, view }, seen, part) {
    const { lead, from, to } = part;
    const { batch, layer, head, heads, combine } = view;
    const key = JSON.stringify([answer?.reply.trace, answer?.reply.merged, batch, layer, head, heads, combine, part]);
    if (key === this.sidesKey) return true;
    const { others } = this.sizes(seen, lead);
    const own = Array.from({ length: to - from }, (_, at) => from + at);
    const span = /** @type {Span} */ ([from, to]);
    const all = /** @type {Span} */ ([0, others]);
    const [rows, cols] = lead === "query" ? [span, all] : [all, span];
    this.waits = Boolean(seen.coarse?.mayRequest && !seen.coarse.request(READER, rows, cols));
    if (this.waits) return false;
    const met = partnersOf(part, strongestOf(part, others, weightIn(seen)));
    this.sides = lead === "query" ? { query: own, key: met } : { query: met, key: own };
    this.sidesKey = key;
    const windows = windowsOf(this.store);
    windows.want(`${READER} ${lead}`, lead, span);
    windows.wantEach(READER, lead === "query" ? "key" : "query", met);
    return true;
  }
}

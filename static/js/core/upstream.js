import { sides } from "./page.js";

/**
 * `col` is null for a whole row, `row` for a whole column. `axis`: "key" if the row is a key.
 * @typedef {{stage: string, row: number | null, col: number | null, axis?: "key"}} Region
 */

/** @typedef {{row: number | null, col: number | null}} Place */
/** @typedef {{head: number, d_v: number, cross?: boolean}} Of `cross`: k and v come from a context */
/** @typedef {(place: Place, of: Of) => Region | null} Reading */

/** @type {WeakMap<Page, Map<string, Reading[]>>} */
const readings = new WeakMap();

/** @param {Page} page */
function readingsOf(page) {
  const known = readings.get(page);
  if (known) return known;
  const made = page.stages.map((stage, at) => {
    const before = page.stages.slice(0, at);
    const inputs = stage.inputs.flatMap((name) => before.filter((each) => each.name === name));
    return /** @type {[string, Reading[]]} */ ([stage.name, inputs.map((input) => reading(stage, input))]);
  });
  const found = new Map(made);
  readings.set(page, found);
  return found;
}

/**
 * How to find a cell's input: the same position on shared axes, all of other axes.
 * @param {Stage} stage @param {Stage} input @returns {Reading}
 */
function reading(stage, input) {
  const [own, its] = [sides(stage), sides(input)];
  /** @param {string} axis @returns {keyof Place | null} */
  const from = (axis) => (axis === own.rows ? "row" : axis === own.cols ? "col" : null);
  const [row, col] = [from(its.rows), from(its.cols)];
  if (col === null && own.cols.split("·").includes(its.cols)) return (place, of) => ofHead(input.name, place, of);
  if (row === null && col === null) return (place, { cross }) => asKeys(input.name, place, cross);
  return (place) => ({ stage: input.name, row: row && place[row], col: col && place[col] });
}

/**
 * Converts a column of concat to a column of the head; null for columns of other heads.
 * @param {string} stage @param {Place} place @param {Of} of
 */
function ofHead(stage, { row, col }, { head, d_v }) {
  if (col === null) return { stage, row, col };
  return Math.floor(col / d_v) === head ? { stage, row, col: col % d_v } : null;
}

/** @param {string} stage @param {Place} place @param {boolean} [cross] @returns {Region} */
function asKeys(stage, { row }, cross) {
  return cross ? { stage: "context", row, col: null } : { stage, row, col: null, axis: "key" };
}

/**
 * Regions of stages from which the cell is computed, back to x or the context.
 * @param {Page} page @param {Cell} cell @param {Of} of
 */
export function upstream(page, cell, of) {
  const all = readingsOf(page);
  /** @type {Map<string, Region>} */
  const found = new Map();
  /** @type {Region[]} */
  const open = [cell];
  for (let region = open.shift(); region; region = open.shift()) {
    for (const read of all.get(region.stage) ?? []) {
      const next = read(region, of);
      if (!next || (next.row === null && next.col === null)) continue;
      const name = `${next.stage} ${next.row} ${next.col}`;
      if (found.has(name)) continue;
      found.set(name, next);
      open.push(next);
    }
  }
  return [...found.values()];
}

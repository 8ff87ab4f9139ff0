/** Where a cell came from: the rows, columns and cells of every stage before it. */

/**
 * A region of a stage: a cell, a row (col null) or a column (row null).
 * @typedef {Object} Region
 * @property {string} stage
 * @property {number | null} row
 * @property {number | null} col
 * @property {"key"} [axis] x seen through k, where there is no context: its rows are keys there
 */

/** @typedef {{row: number | null, col: number | null}} Place */
/** @typedef {{head: number, d_v: number, cross?: boolean}} Of `cross`: k and v read a context */

/**
 * What each stage reads directly, to be lit. `head` counts heads, `d_v` their width.
 * @type {Record<string, (place: Place, of: Of) => Region[]>}
 */
const READS = {
  block_output: ({ row, col }) => [
    { stage: "output", row, col },
    { stage: "x", row, col },
  ],
  output: ({ row }) => [{ stage: "concat", row, col: null }],
  concat: ({ row, col }, { head, d_v }) =>
    col === null || Math.floor(col / d_v) === head
      ? [{ stage: "head_outputs", row, col: col === null ? null : col % d_v }]
      : [],
  head_outputs: ({ row, col }) => [
    { stage: "weights", row, col: null },
    { stage: "v", row: null, col },
  ],
  weights: ({ row, col }) => [{ stage: "masked_scores", row, col }],
  masked_scores: ({ row, col }) => [{ stage: "scaled_scores", row, col }],
  scaled_scores: ({ row, col }) => [{ stage: "scores", row, col }],
  scores: ({ row, col }) => [
    { stage: "q", row, col: null },
    { stage: "k", row: col, col: null },
  ],
  q: ({ row }) => [{ stage: "x", row, col: null }],
  k: read,
  v: read,
};

/** @param {Place} place @param {Of} of @returns {Region[]} */
function read({ row }, { cross }) {
  return cross ? [{ stage: "context", row, col: null }] : [{ stage: "x", row, col: null, axis: "key" }];
}

/**
 * Every region upstream of a cell, stage by stage back to x.
 * @param {{stage: string, row: number, col: number}} cell
 * @param {Of} of
 * @returns {Region[]}
 */
export function upstream(cell, of) {
  /** @type {Map<string, Region>} */
  const found = new Map();
  /** @type {Region[]} */
  const open = [cell];
  for (let region = open.shift(); region; region = open.shift()) {
    for (const next of READS[region.stage]?.(region, of) ?? []) {
      const name = `${next.stage} ${next.row} ${next.col}`;
      if ((next.row === null && next.col === null) || found.has(name)) continue;
      found.set(name, next);
      open.push(next);
    }
  }
  return [...found.values()];
}

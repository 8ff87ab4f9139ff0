/** Coordinates of tokens along the first two singular directions of a matrix. */

import { short } from "../lib/numbers.js";
import { percent } from "../lib/percent.js";

/** @typedef {{axis: Axis, names: string[], tokens: number[][], edge: number}} Side `edge`: largest coordinate shown */

const APART = 8; // edges with a larger ratio stay unequal
const LOW = ["₁", "₂"];

/** @param {string} matrix */
export const isProduct = (matrix) => matrix === "w_qk";

/** W_O reads outputs of the head, one per query. @param {string} matrix @returns {Axis} */
const axisOf = (matrix) => (["w_q", "w_qk", "w_o"].includes(matrix) ? "query" : "key");

/** @param {string} matrix @param {Replies.Directions} found */
export function sidesOf(matrix, { singular_values: values, tokens_left: left, tokens_right: right }) {
  const product = isProduct(matrix);
  const reads = axisOf(matrix);
  const [near, far] = edges(edgeOf(left), edgeOf(right), product);
  return [
    {
      axis: reads,
      names: values.map((_, at) => `${matrix === "w_o" ? "h" : "x"} · u${LOW[at]}`),
      tokens: left,
      edge: near,
    },
    {
      axis: product ? "key" : reads,
      names: values.map((value, at) =>
        product ? `x · v${LOW[at]}` : `v${LOW[at]}, × σ${LOW[at]} = ${short(value, 2)}`,
      ),
      tokens: right,
      edge: far,
    },
  ];
}

/**
 * Planes of the null space and of principal directions, for w_q, w_k and w_v.
 * @param {string} matrix @param {Replies.Directions} found @param {Replies.Principal | null} principal
 */
export function unseenSides(matrix, { unseen }, principal) {
  if (!unseen || !principal) return [];
  const lost = unseen.tokens[0]?.map((_, at) => `x · n${LOW[at]}`) ?? [];
  const spread = principal.shares.map((share, at) => `p${LOW[at]}, ${percent(share)}`);
  /** @type {{kind: "unseen_plane" | "principal", axis: Axis, names: string[], tokens: number[][]}[]} */
  const sides = [
    { kind: "unseen_plane", axis: axisOf(matrix), names: lost, tokens: unseen.tokens },
    { kind: "principal", axis: "query", names: spread, tokens: principal.tokens },
  ];
  const shown = sides.filter(({ names }) => names.length > 0);
  return shown.map(({ kind, ...side }) => ({ title: kind, side: { ...side, edge: edgeOf(side.tokens) } }));
}

/**
 * Equal edges show how the matrix stretches; not for a product or very different sizes.
 * @param {number} near @param {number} far @param {boolean} product
 */
function edges(near, far, product) {
  const [most, least] = [Math.max(near, far), Math.min(near, far)];
  return product || most > APART * least ? [near, far] : [most, most];
}

/** @param {(number | null)[][]} tokens */
const edgeOf = (tokens) => Math.max(1e-12, ...tokens.flat().map((value) => Math.abs(value ?? 0)));

/**
 * Place of each name beside its point; null without room.
 * @param {number[][]} points @param {number[]} widths @param {number} side
 * @param {number[][]} [others] what else is written: left, top, right, bottom
 */
export function labelPlaces(points, widths, side, others = []) {
  const taken = [...points.map(([x, y]) => [x - 3, y - 3, x + 3, y + 3]), ...others];
  return points.map(([x, y], at) => {
    const found = BESIDE.find((place) => {
      const left = x + place.x - widths[at] * STARTS[place["text-anchor"]];
      const [top, right, bottom] = [y + place.y - 8, left + widths[at], y + place.y + 2];
      const free = taken.every(([l, u, r, d], other) => other === at || right < l || left > r || bottom < u || top > d);
      if (!free || left < 1 || right > side - 1 || top < 14 || bottom > side - 14) return false;
      taken.push([left, top, right, bottom]);
      return true;
    });
    return found ?? null;
  });
}

const STARTS = { start: 0, middle: 0.5, end: 1 };
const BESIDE = /** @type {const} */ ([
  { x: 6, y: 3.5, "text-anchor": "start" },
  { x: -6, y: 3.5, "text-anchor": "end" },
  { x: 0, y: -6, "text-anchor": "middle" },
  { x: 0, y: 12, "text-anchor": "middle" },
]);

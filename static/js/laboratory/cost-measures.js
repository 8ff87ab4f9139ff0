import { fetchOfTrace } from "../core/traces.js";

/** @typedef {{n: number, d_model: number, num_heads: number, num_kv_heads: number}} Sizes */
/** @typedef {keyof Sizes} Size */
/** @typedef {{multiplications: number, additions: number, exponentials: number, read_bytes: number, written_bytes: number}} Cost */
/** @typedef {{n: number, projections: number, maps: number, linear: number, without_cache: number, with_cache: number}} Length */
/**
 * @typedef {{n: number, num_kv_heads: number, d_k: number, d_v: number, crossing: number,
 * stages: (Cost & {stage: string})[], total: Cost, projections: {three: Cost, fused: Cost},
 * generation: {without_cache: Cost, with_cache: Cost, cache_bytes: number},
 * layers: {name: string, order: number, sequential: number, path: number, multiplications: number}[],
 * lengths: Length[]}} Counted
 */

export const SIZES = /** @type {Size[]} */ (["n", "d_model", "num_heads", "num_kv_heads"]);
const MOST = { n: 2 ** 17, d_model: 2 ** 13, num_heads: 256, num_kv_heads: 256 };
const HEADS = 64;

/** @param {State} state */
export function sizesOf({ answer, view }) {
  const [n, d_model, num_heads, num_kv_heads] = (view.sizes ?? "").split(".").map(Number);
  const said = { n, d_model, num_heads, num_kv_heads };
  if (SIZES.every((size) => fits(said, size))) return said;
  const shape = /** @type {NonNullable<State["answer"]>} */ (answer).reply.shape;
  return {
    n: Math.min(MOST.n, shape.n),
    d_model: shape.d_model,
    num_heads: shape.num_heads,
    num_kv_heads: shape.num_kv_heads,
  };
}

/** @param {Sizes} sizes @param {Size} size */
function fits(sizes, size) {
  const value = sizes[size];
  const whole = Number.isInteger(value) && value >= 1 && value <= MOST[size];
  return (
    whole && !(size === "num_heads" && sizes.d_model % value) && !(size === "num_kv_heads" && sizes.num_heads % value)
  );
}

/** @param {Sizes} sizes */
export const sizesText = (sizes) => SIZES.map((size) => sizes[size]).join(".");

/** Values that a slider offers. @param {Sizes} sizes @param {Size} size */
export function choicesOf(sizes, size) {
  const powers = (/** @type {number} */ first, /** @type {number} */ last) =>
    Array.from({ length: last - first + 1 }, (_, at) => 2 ** (first + at));
  const dividing = (/** @type {number} */ whole) =>
    Array.from({ length: Math.min(whole, HEADS) }, (_, at) => at + 1).filter((each) => whole % each === 0);
  const offered = {
    n: () => powers(0, 17),
    d_model: () => powers(3, 13),
    num_heads: () => dividing(sizes.d_model),
    num_kv_heads: () => dividing(sizes.num_heads),
  }[size]();
  return [...new Set([...offered, sizes[size]])].toSorted((a, b) => a - b);
}

/**
 * Changes a size. Lowers num_heads and num_kv_heads until they divide d_model and num_heads.
 * @param {Sizes} sizes @param {Size} size @param {number} value
 */
export function changeSize(sizes, size, value) {
  const next = { ...sizes, [size]: value };
  for (const [heads, whole] of /** @type {[Size, Size][]} */ ([
    ["num_heads", "d_model"],
    ["num_kv_heads", "num_heads"],
  ]))
    while (next[whole] % next[heads]) next[heads]--;
  return next;
}

/** @param {State} state */
export function pathOf(state) {
  const sizes = sizesOf(state);
  const { shape, dtype } = /** @type {NonNullable<State["answer"]>} */ (state.answer).reply;
  const own = state.view.sizes === null ? { d_k: shape.d_k, d_v: shape.d_v } : {};
  const asked = Object.entries({ ...sizes, ...own, dtype }).map(([name, value]) => [name, String(value)]);
  return `/api/v1/laboratory/costs?${new URLSearchParams(asked)}`;
}

/** @param {string} path @returns {Promise<Counted>} */
export const fetchCosts = (path) => fetchOfTrace(path, {}, new AbortController().signal);

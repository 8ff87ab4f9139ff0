import { selectedRow, scoresOf } from "./scaling-measures.js";

/**
 * @typedef {{overflowed: number, nan_rows: number, largest_error: number | null, weights: (number | null)[],
 * exponentials: (number | null)[]}} Softmax null is an infinite exponential or a NaN weight
 */
/** @typedef {{dtype: string, stages: {stage: string, largest: number | null, non_finite: number}[], softmax: {naive: Softmax, stable: Softmax}}} Rounded */
/** @typedef {{row: number, dtypes: Rounded[]}} Precision */

const [LEAST, MOST] = [-18, 0]; // powers of ten at the ends of a bar
export const TICKS = [1e-18, 1e-9, 1];
const BEYOND = 800; // exp(800) overflows float64, exp(−800) underflows

/** Length of an error's bar, from 0 to 1. @param {number | null} error null if infinite */
export function reachOf(error) {
  if (error === null) return 1;
  if (error === 0) return 0;
  return Math.min(1, Math.max(0, (Math.log10(error) - LEAST) / (MOST - LEAST)));
}

/**
 * Scale at which exp of the row's largest score over- or underflows in every precision.
 * @param {Page} page @param {State} state
 */
export function breakingScale(page, state) {
  const { temperature = 1 } = state.answer?.reply ?? {};
  const open = scoresOf(page, state, selectedRow(page, state)).filter(({ masked }) => masked !== -Infinity);
  const top = Math.abs(Math.max(...open.map(({ score }) => score)));
  const wanted = Math.min(1e6, Math.max(1, (BEYOND * temperature) / top || 1));
  const power = 10 ** Math.floor(Math.log10(wanted));
  return Math.ceil(wanted / power) * power;
}

/** @param {Precision | null} found */
export function isBroken(found) {
  return Boolean(found?.dtypes.every(({ softmax }) => softmax.naive.weights.includes(null)));
}

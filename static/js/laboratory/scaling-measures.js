import { isMap, stageOf } from "../core/page.js";
import { selection } from "../core/state.js";
import { fetchOfTrace } from "../core/traces.js";
import { logarithmicAxis, ticks } from "../lib/axis-ticks.js";
import { h } from "../lib/dom.js";
import { largest } from "../lib/largest.js";
import { memoize } from "../lib/newest.js";
import { format } from "../lib/numbers.js";
import { nameOf } from "../matrix/names.js";

/** @typedef {"variance" | "entropy" | "largest" | "jacobian"} Measure */
/** @typedef {Record<Measure, number | null>} Figures null if overflowed */
/** @typedef {{n: number, samples: number, uniform: Figures, widths: {d_k: number, scaled: boolean, predicted_variance: number, figures: Figures}[]}} Random */
/** @typedef {{d_k: number, factors: {factor: number, scale: number | null, unscaled: boolean, figures: Figures}[]}} Own */
/** @typedef {{low: number, high: number, log: boolean, ticks: number[]}} Span */

/** @type {Measure[]} */
export const MEASURES = ["variance", "entropy", "largest", "jacobian"];

const drawn = memoize(4); // random scores depend only on the number of keys

/**
 * Figures of random scores for as many keys as the text has, up to a limit.
 * @param {Page} page @param {State} state @returns {Promise<Random>}
 */
export function fetchRandom({ limits }, { answer }) {
  const n = Math.min(limits.max_laboratory_keys, answer?.reply.shape.m ?? Infinity);
  const path = `/api/v1/laboratory/scaling?n=${n}`;
  return drawn(path, () => fetchOfTrace(path, {}, new AbortController().signal));
}

/** y axis of each measure, shared by both boards. @param {Figures[]} all @returns {Record<Measure, Span>} */
export function spansOf(all) {
  const seen = (/** @type {Measure} */ name) => all.map((each) => each[name]).filter((value) => value !== null);
  const linear = (/** @type {number} */ most) => ({ low: 0, high: most, log: false, ticks: ticks(most, 4) });
  const most = (/** @type {Measure} */ name) => Math.max(...seen(name), 0) * 1.04 || 1;
  return {
    variance: logarithmicAxis(seen("variance"), [0, 1]),
    entropy: linear(most("entropy")),
    largest: linear(1),
    jacobian: linear(most("jacobian")),
  };
}

/** Index of the nearest place on a logarithmic axis. @param {number[]} places @param {number} value */
export function nearest(places, value) {
  const far = places.map((place) => Math.abs(Math.log2(place) - Math.log2(value)));
  return far.indexOf(Math.min(...far));
}

/** @param {Page} page @param {State} state */
export function selectedRow(page, { answer, view: { cell, batch } }) {
  const last = (answer?.reply.lengths[batch] ?? 1) - 1;
  return Math.min(cell && isMap(stageOf(page, cell.stage)) ? cell.row : last, last);
}

/** @param {Page} page @param {State} state @param {number} row */
export function scoresOf(page, state, row) {
  const stages = ["scores", "scaled_scores", "masked_scores"].map((name) =>
    state.answer?.block(stageOf(page, name), selection(state)),
  );
  const [scores, scaled, masked] = stages.map((block) =>
    block ? Array.from(block.values.subarray(row * block.cols, (row + 1) * block.cols)) : [],
  );
  return scores.map((score, col) => ({ col, score, scaled: scaled[col], masked: masked[col] }));
}

/**
 * Weights of a row if its scores have `factor` times the scale. Position biases stay.
 * @param {Page} page @param {State} state @param {number} row @param {number} factor
 */
export function weightsAt(page, state, row, factor) {
  const { scale = 1, temperature = 1 } = state.answer?.reply ?? {};
  const more = ((factor - 1) * scale) / temperature;
  const open = scoresOf(page, state, row).filter(({ masked }) => masked !== -Infinity);
  const scores = open.map(({ score, scaled }) => scaled + more * score);
  const peak = Math.max(...scores);
  const shares = scores.map((score) => Math.exp(score - peak));
  const total = shares.reduce((sum, share) => sum + share, 0);
  return open.map(({ col }, at) => ({ col, weight: shares[at] / total }));
}

const SHOWN = 16; // more bars would hide the shape

/** @param {Store} store @param {State} state @param {number} factor @param {string} times `factor` as text */
export function rescaledBars({ page, t }, state, factor, times) {
  const query = selectedRow(page, state);
  const [now, then] = [1, factor].map((each) => weightsAt(page, state, query, each));
  const pairs = then.map((each, at) => ({ ...each, before: now[at].weight }));
  const lines = largest(pairs, SHOWN, ({ before }) => before).map((pair) => line(state, pair));
  return [
    h("h3", {}, t("lab.row", { query: nameOf(state, "query", query), factor: times })),
    h("ol", {}, lines),
    pairs.length === 0 && h("p", { class: "muted" }, t("lab.nothing")),
    pairs.length > SHOWN && h("p", { class: "muted" }, t("row.largest", { n: SHOWN, all: pairs.length })),
  ];
}

/** @param {State} state @param {{col: number, weight: number, before: number}} pair */
function line(state, { col, weight, before }) {
  const [bar, tick] = [h("i", { class: "share" }), h("i", { class: "was" })];
  bar.style.width = `${100 * weight}%`;
  tick.style.left = `${100 * before}%`;
  const name = nameOf(state, "key", col);
  return h(
    "li",
    {},
    h("span", { class: "token", title: name }, name),
    h("span", { class: "track" }, bar, tick),
    h("span", { class: "number", translate: "no" }, format(weight, state.view.precision)),
  );
}

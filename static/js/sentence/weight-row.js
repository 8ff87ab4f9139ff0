import { labelsOf, wordsOf } from "../core/answer.js";
import { sides, stageOf } from "../core/page.js";
import { pictureOf } from "../core/picture.js";
import { positionOf, predicts } from "../core/position.js";
import { selection } from "../core/state.js";
import { strongestLook } from "../core/strongest-look.js";
import { isClosed, valueAt } from "../lib/paint.js";

/** @typedef {{at: number, weight: number}} Entry */

/**
 * @typedef {Object} Seen
 * @property {Axis} axis
 * @property {number} at
 * @property {Entry[]} entries tokens with open cells
 * @property {Entry | null} best largest weight
 * @property {boolean} [waits] exact numbers are loading
 */

/** @param {Page} page @param {State} state */
export const weightsOf = (page, state) =>
  state.answer && pictureOf(page, state.answer, stageOf(page, "weights"), selection(state));

/** @param {Page} page @param {State} state */
export function currentWeights(page, state) {
  const picture = weightsOf(page, state);
  if (!picture) return null;
  const token = [pointedToken(page, state), selectedToken(page, state)].find((each) => each && isReal(picture, each));
  return token ? withWeights(picture, token) : null;
}

/** @param {Picture} picture @param {Pointed} token */
const isReal = ({ rows, cols, realRows = rows, realCols = cols }, { axis, at }) =>
  at < (axis === "query" ? Math.min(rows, realRows) : Math.min(cols, realCols));

/** @param {Picture} picture @param {Pointed} token @param [reader] see `QuantizedMap.readLines` @returns {Seen} */
export function withWeights(picture, { axis, at }, reader = "seen") {
  if (picture.coarse?.readLines(reader, axis, [at]) === false)
    return { axis, at, entries: [], best: null, waits: true };
  const others = axis === "query" ? picture.cols : picture.rows;
  const entries = [];
  for (let other = 0; other < others; other++) {
    const [row, col] = axis === "query" ? [at, other] : [other, at];
    if (!isClosed(picture, row, col)) entries.push({ at: other, weight: valueAt(picture, row, col) });
  }
  const larger = (/** @type {Entry | null} */ most, /** @type {Entry} */ each) =>
    !most || each.weight > most.weight ? each : most;
  return { axis, at, entries, best: entries.reduce(larger, null) };
}

/** @param {Page} page @param {State} state */
function pointedToken(page, { pointed, hover }) {
  if (pointed) return pointed;
  return hover && !hover.of ? tokenOf(page, hover) : null;
}

/**
 * Query of a cell, else its key.
 * @param {Page} page @param {Cell} cell @returns {Pointed | null}
 */
function tokenOf(page, { stage, row, col }) {
  const { rows, cols } = sides(stageOf(page, stage));
  if (rows === "query" || rows === "key") return { axis: rows, at: row };
  return cols === "key" ? { axis: "key", at: col } : null;
}

/**
 * The pinned token, else the last picked, else the predicting one, else the query of `strongestLook`.
 * @param {Page} page @param {State} state @returns {Pointed | null}
 */
export function selectedToken(page, state) {
  const { cell, picked, after } = state.view;
  const pinned = cell && tokenOf(page, cell);
  if (pinned) return pinned;
  if (picked) return { axis: picked.axis, at: picked.at[picked.at.length - 1] };
  if (after !== null && state.answer) return { axis: "query", at: positionOf(page, state) };
  const picture = weightsOf(page, state);
  const look = strongestLook(picture);
  if (!picture || !look) return null;
  return { axis: "query", at: predicts(page, state) ? positionOf(page, state) : look.row };
}

/** @param {State} state with an answer @param {Axis} axis */
export function tokensOf({ answer, view }, axis) {
  const { reply } = /** @type {Answer} */ (answer);
  return labelsOf(reply, view.batch, axis).slice(0, wordsOf(reply, axis).lengths[view.batch]);
}

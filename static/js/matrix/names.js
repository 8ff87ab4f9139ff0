/** How a cell is called: its stage and its tokens. */

import { labelsOf } from "../core/answer.js";
import { sides, stageOf } from "../core/page.js";
import { partsOf } from "../core/pieces.js";
import { format } from "../lib/numbers.js";

/** @typedef {import("../core/state.js").State} State */
/** @typedef {import("../core/state.js").Store} Store */
/** @typedef {import("../core/address/address.js").Cell} Cell */

const RIGHT_TO_LEFT = /\p{Script=Hebrew}|\p{Script=Arabic}|\p{Script=Syriac}|\p{Script=Thaana}|\p{Script=Nko}/u;
const SUBSCRIPTS = "₀₁₂₃₄₅₆₇₈₉";

/**
 * @param {number} index
 * @returns {string}
 */
export function subscript(index) {
  return [...String(index)].map((digit) => SUBSCRIPTS[Number(digit)]).join("");
}

/**
 * The name of one row or column: the token, or the axis and its index.
 * @param {State} state
 * @param {string} axis
 * @param {number} index
 */
export function nameOf(state, axis, index) {
  if (axis !== "query" && axis !== "key") return axis === "none" ? "" : `${axis} ${index}`;
  const label = state.answer ? labelsOf(state.answer.reply, state.view.batch, axis)[index] : undefined;
  if (!label?.text) return String(index);
  const { word } = partsOf(label.text);
  return label.index === null ? word : word + subscript(label.index);
}

/**
 * A name that runs from right to left keeps to itself: the arrow beside it must not turn round.
 * @param {string} name
 */
export function isolated(name) {
  return RIGHT_TO_LEFT.test(name) ? `\u2068${name}\u2069` : name;
}

/**
 * Where a cell lies: "it → animal", or "it · d_k 5".
 * @param {Store} store
 * @param {State} state
 * @param {Cell} cell
 */
export function placeOf(store, state, { stage, row, col }) {
  const { rows, cols } = sides(stageOf(store.page, stage));
  const names = [nameOf(state, rows, row), nameOf(state, cols, col)].filter(Boolean).map(isolated);
  return names.join(cols === "key" ? " → " : " · ");
}

/**
 * A head as it is written where there is little room: "L0 H1", in every language.
 * @param {{layer: number, head: number}} place
 */
export const headName = ({ layer, head }) => `L${layer} H${head}`;

/**
 * @param {Store} store
 * @param {string} stage
 */
export function labelOf(store, stage) {
  const key = `stage.${stage}`;
  if (key in store.page.messages) return store.t(key);
  // A step between two stages is named by a formula of them.
  return stage.replace(/[a-z]+_[a-z]+/g, (name) => store.page.messages[`stage.${name}`] ?? name);
}

/**
 * A number of a stage; null is a closed cell: −∞ before the softmax, a weight of 0 after it, and
 * nothing in a difference or where padding is.
 * @param {Store} store
 * @param {import("../core/page.js").Stage} stage
 * @param {number | null} value
 * @param {number} precision
 */
export function written(store, stage, value, precision) {
  const shut = value === null || value === -Infinity;
  if (stage.kind === "difference") return shut ? "–" : (value > 0 ? "+" : "") + format(value, precision);
  if (stage.kind === "weights" && shut) return store.t("cell.masked");
  return value === null && stage.name !== "masked_scores" ? "–" : format(value, precision);
}

import { stageOf } from "../core/page.js";
import { bothValues, differenceIn, valueIn } from "../difference/cell-values.js";
import { signed } from "../difference/difference.js";
import { pictureOf } from "../core/picture.js";
import { selection } from "../core/state.js";
import { upstream } from "../core/upstream.js";
import { isClosed } from "../lib/paint.js";

/** @typedef {"a" | "b" | "difference"} Name */
/** @typedef {Record<Name, Store>} Stores */

export const NAMES = /** @type {const} */ (["a", "b", "difference"]);

/** @param {Store} store @param {string} stage */
function pictureIn(store, stage) {
  const state = store.get();
  return state.answer && pictureOf(store.page, state.answer, signed(stageOf(store.page, stage)), selection(state));
}

/**
 * Values of a cell: null if masked, undefined if the side lacks the cell.
 * @param {Stores} stores @param {Cell} cell
 */
export function valuesOf(stores, cell) {
  const state = stores.difference.get();
  const difference = differenceIn(state);
  const sides = difference ? bothValues(difference, cell, selection(state)) : { a: undefined, b: undefined };
  return { ...sides, difference: valueIn(pictureIn(stores.difference, cell.stage), cell) };
}

/** The cell, then the most different cell of each upstream region. @param {Stores} stores @param {Cell} cell */
export function largestDifferences(stores, cell) {
  const state = stores.difference.get();
  if (state.answer?.reply.merged) return [cell]; // upstream stages have tokens, not words
  const of = {
    head: state.view.head,
    d_v: state.answer?.reply.shape.d_v ?? 1,
    cross: Boolean(state.answer?.reply.context_lengths),
  };
  // A weight depends on all scores of its row.
  const row = cell.stage === "weights" ? [{ stage: "masked_scores", row: cell.row, col: null }] : [];
  const found = [...row, ...upstream(stores.difference.page, cell, of)].map((region) =>
    mostDifferentCell(stores.difference, region),
  );
  const seen = new Map(found.flatMap((each) => (each ? [[`${each.stage} ${each.row} ${each.col}`, each]] : [])));
  return [cell, ...seen.values()];
}

/** @param {Store} store @param {import("../core/upstream.js").Region} region */
function mostDifferentCell(store, { stage, row, col }) {
  const drawn = pictureIn(store, stage);
  if (!drawn) return null;
  /** @type {Cell | null} */
  let found = null;
  let most = -1;
  const range = (/** @type {number | null} */ one, /** @type {number} */ size) =>
    one === null ? Array.from({ length: size }, (_, at) => at) : one < size ? [one] : [];
  for (const i of range(row, drawn.rows))
    for (const j of range(col, drawn.cols)) {
      const size = isClosed(drawn, i, j) ? -0.5 : Math.abs(drawn.values[i * drawn.cols + j]);
      if (size > most) [found, most] = [{ stage, row: i, col: j }, size];
    }
  return found;
}

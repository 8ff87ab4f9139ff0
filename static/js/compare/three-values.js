import { stageOf } from "../core/page.js";
import { signed } from "../core/difference.js";
import { pictureOf } from "../core/picture.js";
import { selection } from "../core/state.js";
import { upstream } from "../core/upstream.js";
import { closed } from "../lib/paint.js";

/** @typedef {"a" | "b" | "difference"} Name */
/** @typedef {Record<Name, Store>} Stores */

export const NAMES = /** @type {const} */ (["a", "b", "difference"]);

/** The difference, which the store of differences has in place of an answer. @param {State} state */
export const differenceIn = ({ answer }) =>
  /** @type {import("../core/difference.js").Difference | null} */ (/** @type {unknown} */ (answer));

/** @param {Store} store @param {Name} name @param {string} stage */
function picture(store, name, stage) {
  const state = store.get();
  const known = stageOf(store.page, stage);
  const own = name === "difference" ? signed(known) : known;
  return state.answer && pictureOf(store.page, state.answer, own, selection(state));
}

/**
 * Values of a cell. Null: the cell is masked; undefined: the side has no such cell.
 * @param {Stores} stores @param {Cell} cell @returns {Record<Name, number | null | undefined>}
 */
export function valuesOf(stores, cell) {
  const state = stores.difference.get();
  const difference = differenceIn(state);
  const { batch } = state.view;
  const read = (/** @type {Name} */ name) => {
    const at = name === "difference" ? cell : difference?.toSide(cell, name, batch);
    const drawn = picture(stores[name], name, cell.stage);
    if (!at || !drawn || at.row >= drawn.rows || at.col >= drawn.cols) return undefined;
    return closed(drawn, at.row, at.col) ? null : drawn.values[at.row * drawn.cols + at.col];
  };
  return { a: read("a"), b: read("b"), difference: read("difference") };
}

/**
 * The cell itself, and of each upstream region the cell that differs most.
 * @param {Stores} stores @param {Cell} cell
 */
export function mostApart(stores, cell) {
  const state = stores.difference.get();
  if (state.answer?.reply.merged) return [cell]; // the answer is between words, but upstream stages have pieces
  const of = {
    head: state.view.head,
    d_v: state.answer?.reply.shape.d_v ?? 1,
    cross: Boolean(state.answer?.reply.context_lengths),
  };
  // Include all scores of the row, because a weight depends on them.
  const row = cell.stage === "weights" ? [{ stage: "masked_scores", row: cell.row, col: null }] : [];
  const found = [...row, ...upstream(stores.difference.page, cell, of)].map((region) =>
    farthest(stores.difference, region),
  );
  const seen = new Map(found.flatMap((each) => (each ? [[`${each.stage} ${each.row} ${each.col}`, each]] : [])));
  return [cell, ...seen.values()];
}

/** @param {Store} store @param {import("../core/upstream.js").Region} region */
function farthest(store, { stage, row, col }) {
  const drawn = picture(store, "difference", stage);
  if (!drawn) return null;
  /** @type {Cell | null} */
  let found = null;
  let most = -1;
  const range = (/** @type {number | null} */ one, /** @type {number} */ size) =>
    one === null ? Array.from({ length: size }, (_, at) => at) : one < size ? [one] : [];
  for (const i of range(row, drawn.rows))
    for (const j of range(col, drawn.cols)) {
      const size = closed(drawn, i, j) ? -0.5 : Math.abs(drawn.values[i * drawn.cols + j]);
      if (size > most) [found, most] = [{ stage, row: i, col: j }, size];
    }
  return found;
}

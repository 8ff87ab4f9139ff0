/** Stores by which views of one answer show a side or the difference. */

import { deriveStore } from "../lib/derived-store.js";
import { differenceOf } from "./pair.js";

/** @typedef {import("../difference/difference.js").Side} Side */
/** @import {Comparison, PairStore} from "./pair.js" */
/** @typedef {{from: Comparison, state: State} | null} Last */

/** @param {PairStore} pair @param {Side | "difference"} name */
export function sideStore(pair, name) {
  const side = name === "difference" ? null : name;
  const project = (/** @type {Comparison} */ from, /** @type {null} */ _, /** @type {Last} */ last) =>
    stateOf(pair.page, from, side, last);
  /** @type {Store} */
  const store = deriveStore(pair, project, null, {
    set: (patch, how) => pair.set(patchOf(pair, side, store.get(), patch), how),
  });
  return store;
}

/**
 * @param {Page} page @param {Comparison} from @param {Side | null} side null for the difference
 * @param {Last} last previous result; its view is reused if unchanged @returns {State}
 */
function stateOf(page, from, side, last) {
  const difference = differenceOf(page, from);
  const same = last?.from.view === from.view && differenceOf(page, last.from) === difference;
  /** @template {Cell} C @param {C | null} cell */
  const place = (cell) => (!cell || !side ? cell : difference && difference.toSide(cell, side, from.view.batch));
  const state = {
    ...from[side ?? "a"],
    theme: from.theme,
    view: last && same ? last.state.view : { ...from.view, cell: place(from.view.cell) },
    hover: place(from.hover),
  };
  if (difference) state.answer = side ? difference.sides[side] : /** @type {any} */ (difference);
  else if (!side) state.answer = null;
  return state;
}

/**
 * A patch of the difference changes only the view and the hovered cell.
 * @param {PairStore} pair @param {Side | null} side @param {State} now @param {Partial<State>} patch
 */
function patchOf(pair, side, now, { view, hover, ...own }) {
  const from = pair.get();
  const difference = differenceOf(pair.page, from);
  /** @template {Cell} C @param {C | null} cell */
  const replace = (cell) => (cell && side && difference ? difference.fromSide(cell, side, from.view.batch) : cell);
  const next = /** @type {Partial<Comparison>} */ ({});
  if (side && Object.keys(own).length) next[side] = { ...from[side], ...own };
  if (view) {
    const moved = JSON.stringify(view.cell) !== JSON.stringify(now.view.cell);
    next.view = shared({ ...view, cell: moved ? replace(view.cell) : from.view.cell }, from.view);
  }
  if (hover !== undefined) next.hover = replace(hover);
  return next;
}

/** @param {View} view @param {View} now */
const shared = (view, now) => (JSON.stringify(view) === JSON.stringify(now) ? now : view);

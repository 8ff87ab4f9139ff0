import { namedAxes, sides, stageOf } from "../core/page.js";
import { RIGHT_TO_LEFT } from "../lib/scripts.js";
import { nameOf } from "./names.js";

/** @param {string} name */
export function isolated(name) {
  return RIGHT_TO_LEFT.test(name) ? `\u2068${name}\u2069` : name;
}

/** "it → animal", or "it · d_k 5". @param {Store} store @param {State} state @param {Cell} cell */
export function placeOf(store, state, { stage, row, col }) {
  const { rows } = sides(stageOf(store.page, stage));
  const { cols } = namedAxes(stageOf(store.page, stage), state);
  const names = [nameOf(state, rows, row), nameOf(state, cols, col)].filter(Boolean).map(isolated);
  return names.join(cols === "key" ? " → " : " · ");
}

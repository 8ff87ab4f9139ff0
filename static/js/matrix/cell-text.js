import { namedAxes, sides, stageOf } from "../core/page.js";
import { format } from "../lib/numbers.js";
import { RIGHT_TO_LEFT } from "../lib/scripts.js";
import { nameOf } from "./names.js";

/**
 * A closed cell (null) is −∞ as a masked score, 0 as a weight, else a dash.
 * @param {Store} store @param {Stage} stage @param {number | null} value @param {number} precision
 */
export function formatCell(store, stage, value, precision) {
  const shut = value === null || value === -Infinity;
  if (stage.kind === "difference") return shut ? "–" : (value > 0 ? "+" : "") + format(value, precision);
  if (stage.kind === "weights" && shut) return store.t("cell.masked");
  return value === null && stage.name !== "masked_scores" ? "–" : format(value, precision);
}

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

import { pictureOf } from "../core/picture.js";
import { stageOf } from "../core/page.js";
import { selection } from "../core/state.js";
import { extent } from "../lib/paint.js";

/** @typedef {import("./cost-measures.js").Cost} Cost */
/** @typedef {{weights: (number | null)[][], weights_difference: number | null, output_difference: number | null, sums_difference: number | null, costs: {softmax: Cost, linear: Cost}}} Linear */

/** @param {State} state */
export const keyOf = ({ attempt, answer, view: { layer, head, batch } }) =>
  JSON.stringify([attempt, answer?.reply.trace, layer, head, batch]);

/** @param {Page} page @param {State} state @param {Linear} linear */
export function pictureOfLinear(page, state, { weights }) {
  const { answer } = state;
  const own = answer && pictureOf(page, answer, stageOf(page, "weights"), selection(state));
  if (!own) return null;
  const values = new Float64Array(own.rows * own.cols);
  weights.forEach((row, at) =>
    values.set(
      row.map((weight) => weight ?? NaN),
      at * own.cols,
    ),
  );
  const picture = { ...own, values };
  return { ...picture, ...extent(picture) };
}

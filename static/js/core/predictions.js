/** What the model expects after the token that is selected, where it is one that says so. */

import { predicts } from "./question.js";
import { told, wanting } from "./trace-replies.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {{id: number, piece: string, probability: number | null, log_probability: number | null}} Likely */
/** @typedef {{position: number, token: string, predicts: string, top: Likely[], surprises: (number | null)[]}} Predictions */

const TOP = 5; // pieces

/**
 * Asks whenever another token is selected, and hands over what came; null where nothing is expected.
 * @param {(found: {trace: string, batch: number, said: Predictions} | null) => void} show
 * @returns {(state: State, position: number | null) => void}
 */
export function expecting(show) {
  const want = wanting(show, () => show(null));
  return (state, position) => {
    const { answer, view } = state;
    if (!answer || position === null || !predicts(state)) return void want("", () => null);
    const { trace } = answer.reply;
    const query = { batch: view.batch, position, top: TOP };
    want(`${trace} ${view.batch} ${position}`, async () => ({
      trace,
      batch: view.batch,
      said: await told(state, "predictions", query),
    }));
  };
}

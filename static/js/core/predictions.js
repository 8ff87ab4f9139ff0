/** What the model expects after the token that is selected, where it is one that says so. */

import { installedOf } from "./page.js";
import { predicts } from "./position.js";
import { answerOf, told, wanting } from "./trace-replies.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {{id: number, piece: string, probability: number | null, log_probability: number | null}} Likely */
/** @typedef {{of: string, said: Predictions}} Expected `of`: the answer, as `answerOf` names it */
/** @typedef {{position: number, token: string, predicts: string, top: Likely[], surprises: (number | null)[]}} Predictions */

const TOP = 50; // pieces that are asked for: what was likely before a head was dropped is among them

/** What is asked of the predictions: the same everywhere, so that one answer serves all. @param {number} position @param {number} batch */
export const asksFor = (position, batch) => ({ batch, position, top: TOP });

/**
 * Whether the model says which piece stands in a place, which is masked, and not the next one.
 * @param {import("./page.js").Page} page
 * @param {Pick<State, "question">} state
 */
export const fillsIn = (page, { question }) => installedOf(page, question)?.predicts === "masked";

/** What was said of the present answer; null of another one. @param {State} state @param {Expected | null} found */
export const saidOf = (state, found) => (found?.of === answerOf(state) ? found.said : null);

/**
 * Asks whenever another token is selected, and hands over what came; null where nothing is expected to come.
 * @param {import("./page.js").Page} page
 * @param {(found: Expected | null) => void} show
 * @returns {(state: State, position: number | null) => void}
 */
export function expecting(page, show) {
  const want = wanting(show, () => show(null));
  return (state, position) => {
    const { answer, attempt, view } = state;
    if (!answer || position === null || !predicts(page, state) || fillsIn(page, state))
      return void want("", () => null);
    const { trace } = answer.reply;
    want(`${trace} ${view.batch} ${position} ${attempt}`, async () => ({
      of: answerOf(state),
      said: await told(state, "predictions", asksFor(position, view.batch)),
    }));
  };
}

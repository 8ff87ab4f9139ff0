import { installedOf } from "./page.js";
import { predicts } from "./position.js";
import { answerKey, fetchPart, keyedRequest } from "./traces.js";

/** @typedef {{of: string, said: Replies.Predictions}} Expected `of`: key of `answerKey` */

const TOP = 50; // pieces: enough to list what was likely before a head was dropped

/** @param {number} position @param {number} batch */
export const predictionQuery = (position, batch) => ({ batch, position, top: TOP });

/** @param {Page} page @param {State} state */
export const predictsMasked = (page, { question }) => installedOf(page, question)?.predicts === "masked";

/** Null if `found` belongs to another answer. @param {State} state @param {Expected | null} found */
export const predictionsOf = (state, found) => (found?.of === answerKey(state) ? found.said : null);

/**
 * @param {Page} page @param {(found: Expected | null) => void} show null: no prediction
 * @returns {(state: State, position: number | null) => void}
 */
export function predictionRequest(page, show) {
  const want = keyedRequest(show, () => show(null));
  return (state, position) => {
    const { answer, attempt, view } = state;
    if (!answer || position === null || !predicts(page, state) || predictsMasked(page, state))
      return void want("", () => null);
    const { trace } = answer.reply;
    want(`${trace} ${view.batch} ${position} ${attempt}`, async () => ({
      of: answerKey(state),
      said: await fetchPart(state, "predictions", predictionQuery(position, view.batch)),
    }));
  };
}

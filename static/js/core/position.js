/** Position of the prediction: `after`, else the pinned query, else a mask token, else the last token. */

import { encodes, wholeOf } from "./answer.js";
import { installedOf, sides, stageOf } from "./page.js";

/** @param {Page} page @param {State} state */
export function positionOf(page, { answer, view: { after, batch, cell, layer } }) {
  const { reply } = /** @type {NonNullable<State["answer"]>} */ (answer);
  const { lengths, tokens } = wholeOf(reply);
  const last = lengths[batch] - 1;
  const mask = tokens?.[batch].findIndex((token) => /^ ?[[<]mask[\]>]$/i.test(/** @type {string} */ (token))) ?? -1;
  const asks = cell && !encodes(reply, layer) && sides(stageOf(page, cell.stage)).rows === "query";
  const pinned = asks ? cell.row : mask < 0 ? last : mask;
  return Math.min(after ?? pinned, last);
}

/** @param {Page} page @param {State} state */
export const predicts = (page, { question }) =>
  question.model.source === "trained" || Boolean(installedOf(page, question)?.predicts);

/** When to show the box of a second sentence. */

import { installedOf } from "../core/page.js";

/**
 * If the model reads pairs, or the question has a second sentence that it cannot read, so that it can be removed.
 * @param {import("../core/page.js").Page} page
 * @param {Pick<import("../core/question.js").Question, "model" | "x" | "tokens" | "pair">} question
 */
export const hasPairBox = (page, question) =>
  !question.x && !question.tokens && (question.pair !== null || Boolean(installedOf(page, question)?.pairs));

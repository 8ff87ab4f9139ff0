import { installedOf } from "../core/page.js";

/**
 * Whether to show the box of the second sentence. A sentence that the model cannot read is shown too, so that it can be
 * deleted.
 * @param {Page} page
 * @param {Pick<Question, "model" | "x" | "tokens" | "pair">} question
 */
export const hasPairBox = (page, question) =>
  !question.x && !question.tokens && (question.pair !== null || Boolean(installedOf(page, question)?.pairs));

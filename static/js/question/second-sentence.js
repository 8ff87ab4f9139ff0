import { installedOf } from "../core/page.js";

/**
 * Whether to show the second box. A sentence that the model cannot read is shown, to be deleted.
 * @param {Page} page @param {Pick<Question, "model" | "x" | "tokens" | "pair">} question
 */
export const hasPairBox = (page, question) =>
  !question.x && !question.tokens && (question.pair !== null || Boolean(installedOf(page, question)?.pairs));

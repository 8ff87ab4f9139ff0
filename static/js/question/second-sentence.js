import { installedOf } from "../core/page.js";

/**
 * Also true for a second sentence that the model cannot read, so that it can be removed.
 * @param {Page} page
 * @param {Pick<Question, "model" | "x" | "tokens" | "pair">} question
 */
export const hasPairBox = (page, question) =>
  !question.x && !question.tokens && (question.pair !== null || Boolean(installedOf(page, question)?.pairs));

import { installedOf } from "../core/page.js";

/**
 * Also true with a second sentence that the model cannot read: it can be deleted.
 * @param {Page} page
 * @param {Pick<Question, "model" | "x" | "tokens" | "pair">} question
 */
export const hasPairBox = (page, question) =>
  !question.x && !question.tokens && (question.pair !== null || Boolean(installedOf(page, question)?.pairs));

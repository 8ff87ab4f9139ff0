import { installedOf } from "../core/page.js";

/**
 * Whether to show the box: also for a sentence that the model cannot read, to be deleted.
 * @param {Page} page @param {Pick<Question, "model" | "x" | "tokens" | "pair">} question
 */
export const hasPairBox = (page, question) =>
  !question.x && !question.tokens && (question.pair !== null || Boolean(installedOf(page, question)?.pairs));

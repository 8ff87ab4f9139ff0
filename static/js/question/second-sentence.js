import { installedOf } from "../core/page.js";

/**
 * The box also shows a sentence that the model cannot read.
 * @param {Page} page @param {Pick<Question, "model" | "x" | "tokens" | "pair">} question
 */
export const hasPairBox = (page, question) =>
  !question.x && !question.tokens && (question.pair !== null || Boolean(installedOf(page, question)?.pairs));

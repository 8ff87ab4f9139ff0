import { installedOf } from "../core/page.js";

/**
 * The model reads pairs, or there is a second sentence to remove.
 * @param {import("../core/page.js").Page} page
 * @param {Pick<import("../core/question.js").Question, "model" | "x" | "tokens" | "pair">} question
 */
export const hasPairBox = (page, question) =>
  !question.x && !question.tokens && (question.pair !== null || Boolean(installedOf(page, question)?.pairs));

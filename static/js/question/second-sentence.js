/** Where there is a box for a second sentence. */

import { installedOf } from "../core/page.js";

/**
 * Whether to show the box of a second sentence: if the model reads two, or the question has one that it cannot
 * read, so that it can be removed.
 * @param {import("../core/page.js").Page} page
 * @param {Pick<import("../core/question.js").Question, "model" | "x" | "tokens" | "pair">} question
 */
export const hasPairBox = (page, question) =>
  !question.x && !question.tokens && (question.pair !== null || Boolean(installedOf(page, question)?.pairs));

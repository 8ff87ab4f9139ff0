/** Where there is a box for a second sentence. */

import { installedOf } from "../core/page.js";

/**
 * Whether words may have a second sentence behind them: where the model reads two, and where one is asked that it does
 * not read, which is let go of there.
 * @param {import("../core/page.js").Page} page
 * @param {Pick<import("../core/question.js").Question, "model" | "x" | "tokens" | "pair">} question
 */
export const hasPairBox = (page, question) =>
  !question.x && !question.tokens && (question.pair !== null || Boolean(installedOf(page, question)?.pairs));

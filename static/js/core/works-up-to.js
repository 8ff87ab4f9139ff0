/** Which tabs have something to show of a long text, and how long a text may be that all have. */

import { isLong } from "./state.js";

/** @typedef {import("./state.js").State} State */

const EASY = 0.6; // of the tokens with whole maps: derivatives and other precisions need more memory
const NEARLY = 0.95; // of those that have gradients: where a text is cut, its last word may become more tokens
export const NEED_WHOLE = ["gradients", "parameters", "worth", "decode", "lab"]; // tabs

/**
 * Whether a tab has nothing to show of a text for its length. What a layer costs is reckoned from its sizes alone, and
 * gradients may be too many where maps are whole.
 * @param {string} tab
 * @param {Pick<State, "answer" | "view">} state
 */
export const isTooLong = (tab, state) =>
  isLong(state)
    ? NEED_WHOLE.includes(tab) && (tab !== "lab" || state.view.lab !== "costs")
    : tab === "gradients" && Boolean(state.answer?.reply.gradient_tokens);

/**
 * Up to how many tokens everything works with the model of a long text, or gradients where only they are too many: a round
 * number; 0 if a shorter text does not help, null if the text is short.
 * @param {Pick<State, "answer">} state
 */
export function worksUpTo({ answer }) {
  const { whole_tokens: whole, gradient_tokens: derived = 0 } = answer?.reply ?? {};
  const most = whole ? EASY * whole : NEARLY * derived;
  if (!most) return whole ?? null;
  const step = 10 ** Math.max(0, Math.floor(Math.log10(most)) - 1);
  return step * Math.floor(most / step);
}

/** Finds the longest text for each tab. */

import { isLong } from "./state.js";

const EASY = 0.6; // gradients need more memory than maps
const NEARLY = 0.95; // a cut word may become more tokens
export const NEED_WHOLE = ["gradients", "parameters", "worth", "decode", "lab"];

/** Costs depend on sizes alone. @param {string} tab @param {Pick<State, "answer" | "view">} state */
export const isTooLong = (tab, state) =>
  isLong(state)
    ? NEED_WHOLE.includes(tab) && (tab !== "lab" || state.view.lab !== "costs")
    : tab === "gradients" && Boolean(state.answer?.reply.gradient_tokens);

/**
 * In tokens, rounded; 0 if shorter texts do not help, null if the text is short.
 * @param {Pick<State, "answer">} state
 */
export function worksUpTo({ answer }) {
  const { whole_tokens: whole, gradient_tokens: derived = 0 } = answer?.reply ?? {};
  const most = whole ? EASY * whole : NEARLY * derived;
  if (!most) return whole ?? null;
  const step = 10 ** Math.max(0, Math.floor(Math.log10(most)) - 1);
  return step * Math.floor(most / step);
}

import { isLong } from "./state.js";

const EASY = 0.6; // share of `whole_tokens`, since gradients need more memory
const NEARLY = 0.95; // share of `gradient_tokens`, since a cut word may become more tokens
export const NEED_WHOLE = ["gradients", "parameters", "worth", "decode", "lab"];

/** In the tab "lab", "costs" needs only sizes. @param {string} tab @param {State} state */
export const isTooLong = (tab, state) =>
  isLong(state)
    ? NEED_WHOLE.includes(tab) && (tab !== "lab" || state.view.lab !== "costs")
    : tab === "gradients" && Boolean(state.answer?.reply.gradient_tokens);

/**
 * Most tokens that every tab allows, rounded down; 0 if there are none, null if this text is short enough.
 * @param {Pick<State, "answer">} state
 */
export function longestText({ answer }) {
  const { whole_tokens: whole, gradient_tokens: derived = 0 } = answer?.reply ?? {};
  const most = whole ? EASY * whole : NEARLY * derived;
  if (!most) return whole ?? null;
  const step = 10 ** Math.max(0, Math.floor(Math.log10(most)) - 1);
  return step * Math.floor(most / step);
}

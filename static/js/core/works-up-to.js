/** Which tabs have something to show of a long text, and how long a text may be that all have. */

import { isLong } from "./state.js";

/** @typedef {import("./state.js").State} State */

const EASY = 0.6; // of the tokens whose maps are whole: derivatives take them twice, other precisions stand beside them
export const NEED_WHOLE = ["gradients", "parameters", "worth", "decode", "lab"]; // tabs

/**
 * Whether a tab has nothing to show of a text for its length. What a layer costs is reckoned from its sizes alone.
 * @param {string} tab
 * @param {Pick<State, "answer" | "view">} state
 */
export const isTooLong = (tab, state) =>
  isLong(state) && NEED_WHOLE.includes(tab) && (tab !== "lab" || state.view.lab !== "costs");

/**
 * Up to how many tokens everything works with the model of a long text, a round number; 0 where a shorter text alone does
 * not help, null where the text is not long.
 * @param {Pick<State, "answer">} state
 */
export function worksUpTo({ answer }) {
  const { whole_tokens: whole } = answer?.reply ?? {};
  if (!whole) return whole ?? null;
  const most = EASY * whole;
  const step = 10 ** Math.max(0, Math.floor(Math.log10(most)) - 1);
  return step * Math.floor(most / step);
}

/** States as the page has them, and stores of them. */

import { createStore } from "../../../static/js/lib/store.js";
import { initialState } from "../../../static/js/core/state.js";
import { openAddress } from "./address-bar.js";
import { answer, page, question } from "./sent.js";

/**
 * The state of a question with its answer.
 * @param {string} name in QUESTIONS of tests/js/__main__.py
 * @param {object} [view] what is looked at
 */
export function stateOf(name, view = {}) {
  if (!globalThis.location) openAddress("/");
  const state = initialState(page);
  const own = { question: question(name), answer: answer(name), status: "ready" };
  return { ...state, ...own, view: { ...state.view, ...view } };
}

/** A store of such a state. @param {string} name @param {object} [view] @param {object} [more] of the state */
export const storeOf = (name, view, more = {}) => createStore(page, { ...stateOf(name, view), ...more });

/**
 * Earlier questions, besides the browser's history: noted from the first one on, also before the buttons come
 * that return to them. The steps are in the state; a change of the question without `steps` is a new step.
 */

/** @typedef {import("../lib/store.js").How} How */
/** @typedef {import("../core/question.js").Question} Question */
/** @typedef {import("../core/state.js").Steps} Steps */
/** @typedef {import("../core/state.js").Store} Store */

const MOST = 500; // steps; questions share unchanged parts

/**
 * The steps after a change of the question; one that replaces another belongs to the same step.
 * @param {Steps} steps
 * @param {Question} before
 * @param {How} how
 * @returns {Steps}
 */
export function noted({ past, pending }, before, { replace }) {
  const same = replace && past.length > 0;
  return { past: same ? past : [...past, before].slice(-MOST), future: [], pending };
}

/**
 * The edits that stay pending from one question to another: an edit of one model does not apply to another.
 * @param {Steps} steps
 * @param {Question} before
 * @param {Question} now
 */
export const pendingAfter = ({ pending }, before, now) => (now.model === before.model ? pending : []);

/**
 * Notes as a step what changes the question and brings no steps of its own.
 * @param {Store} store
 */
export function startStepping(store) {
  store.subscribe(({ question, steps }, { question: before, steps: stepsBefore }, how) => {
    if (question === before || steps !== stepsBefore) return;
    const now = store.get().steps;
    const next = { ...noted(now, before, how), pending: pendingAfter(now, before, question) };
    store.set({ steps: next, unchanged: null }, { silent: true });
  });
}

/** Undo history. A change of the question without `steps` is a new step. */

const MOST = 500; // unchanged parts are shared

/**
 * A replacing change joins the last step.
 * @param {EditHistory} steps @param {Question} before @param {How} how @returns {EditHistory}
 */
export function noted({ past, pending }, before, { replace }) {
  const same = replace && past.length > 0;
  return { past: same ? past : [...past, before].slice(-MOST), future: [], pending };
}

/** A change of model drops pending edits. @param {EditHistory} steps @param {Question} before @param {Question} now */
export const pendingAfter = ({ pending }, before, now) => (now.model === before.model ? pending : []);

/** Changes that bring no steps. @param {Store} store */
export function startStepping(store) {
  store.subscribe(({ question, steps }, { question: before, steps: stepsBefore }, how) => {
    if (question === before || steps !== stepsBefore) return;
    const now = store.get().steps;
    const next = { ...noted(now, before, how), pending: pendingAfter(now, before, question) };
    store.set({ steps: next, unchanged: null }, { silent: true });
  });
}

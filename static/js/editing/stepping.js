/** The history of undo. A change of the question alone is a new step. */

const MOST = 500; // steps, which share what does not change

/**
 * A change with `replace` belongs to the last step.
 * @param {EditHistory} steps @param {Question} before @param {How} how @returns {EditHistory}
 */
export function withStep({ past, pending }, before, { replace }) {
  const same = replace && past.length > 0;
  return { past: same ? past : [...past, before].slice(-MOST), future: [], pending };
}

/**
 * When the model changes, pending edits are dropped.
 * @param {EditHistory} steps @param {Question} before @param {Question} now
 */
export const pendingAfter = ({ pending }, before, now) => (now.model === before.model ? pending : []);

/** @param {Store} store */
export function startStepping(store) {
  store.subscribe(({ question, steps }, { question: before, steps: stepsBefore }, how) => {
    if (question === before || steps !== stepsBefore) return;
    const now = store.get().steps;
    const next = { ...withStep(now, before, how), pending: pendingAfter(now, before, question) };
    store.set({ steps: next, unchanged: null }, { silent: true });
  });
}

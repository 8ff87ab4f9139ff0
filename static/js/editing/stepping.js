/** History for undo. Only a changed question is a step. */

const MOST = 500; // steps, which share unchanged parts

/**
 * History after a change. A change with `replace` belongs to the last step.
 * @param {EditHistory} steps @param {Question} before @param {How} how
 */
export function withStep({ past, pending }, before, { replace }) {
  const same = replace && past.length > 0;
  return { past: same ? past : [...past, before].slice(-MOST), future: [], pending };
}

/**
 * Pending edits after a change; a changed model drops them.
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

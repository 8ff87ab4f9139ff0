import { withStep, pendingAfter } from "./stepping.js";

/** Compares by identity: steps share unchanged parts. @param {Question} a @param {Question} b */
function isSame({ model: a, ...one }, { model: b, ...other }) {
  const equal = (/** @type {Record<string, any>} */ x, /** @type {Record<string, any>} */ y) =>
    Object.keys({ ...x, ...y }).every((name) => x[name] === y[name]);
  return equal(a, b) && equal(one, other);
}

/** Begins an edit, which undo can cancel. @param {Store} store @param {How} how */
export function begin(store, how) {
  const edit = { ...how };
  const { steps } = store.get();
  store.set({ steps: { ...steps, pending: [...steps.pending, edit] }, unchanged: null }, { silent: true });
  return edit;
}

/** @param {Store} store @param {How} edit */
export const isWanted = (store, edit) => store.get().steps.pending.includes(edit);

/** @param {Store} store @param {How} edit */
function without(store, edit) {
  const { steps } = store.get();
  return { ...steps, pending: steps.pending.filter((each) => each !== edit) };
}

/** @param {Store} store @param {How} edit */
export const dropEdit = (store, edit) => store.set({ steps: without(store, edit) }, { silent: true });

/** Applies an edit; other edits stay pending. @param {Store} store @param {How} edit @param {Question} question */
export function commit(store, edit, question) {
  const steps = withStep(without(store, edit), store.get().question, edit);
  store.set({ question, steps, unchanged: null }, edit);
}

/** @param {Store} store */
export function undo(store) {
  if (!cancel(store)) walk(store, "past", "future");
}

/** @param {Store} store */
export const redo = (store) => walk(store, "future", "past");

/** Drops the pending edits of the last step. False if its first edit is not pending. @param {Store} store */
function cancel(store) {
  const { steps } = store.get();
  const first = steps.pending.findLastIndex(({ replace }) => !replace);
  if (steps.pending.length) {
    const pending = steps.pending.slice(0, Math.max(0, first));
    store.set({ steps: { ...steps, pending } }, { silent: true });
  }
  return first >= 0;
}

/** @param {Store} store @param {"past" | "future"} from @param {"past" | "future"} to */
function walk(store, from, to) {
  const { question: now, steps } = store.get();
  // Skip questions that equal the current one.
  const at = steps[from].findLastIndex((question) => !isSame(question, now));
  const left = { ...steps, [from]: steps[from].slice(0, Math.max(0, at)) };
  if (at < 0) return store.set({ steps: left }, { silent: true });
  const question = steps[from][at];
  const pending = pendingAfter(steps, now, question);
  store.set({ question, steps: { ...left, [to]: [...steps[to], now], pending }, unchanged: null });
}

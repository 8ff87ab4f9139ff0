/** @param {Store} store */
export const askAgain = (store) => store.set({ attempt: store.get().attempt + 1 }, { silent: true });

/**
 * Sets the text of a field and clears its numbers and tokens.
 * @param {Store} store @param {string | null} text @param {How} how
 * @param {{field: string, x: string, tokens: string}} names
 */
export function setText(store, text, how, { field, x, tokens }) {
  const { question } = store.get();
  store.set({ question: { ...question, [field]: text, [x]: null, [tokens]: null } }, how);
}

/** @param {Store} store @param {Partial<View>} patch @param {How} [how] `{replace: true}` while dragging */
export function setView(store, patch, how) {
  store.set({ view: { ...store.get().view, ...patch } }, how);
}

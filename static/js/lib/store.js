/** The one state object of a page, and who is told when it changes. */

/**
 * @typedef {Object} How
 * @property {boolean} [typing] more of the same may follow at once: wait before asking
 * @property {boolean} [replace] part of the change before: no step of its own in the history
 * @property {boolean} [silent] the change came from the address and is not written back
 */

/**
 * @template State, Page
 * @typedef {Object} Store
 * @property {Page} page what the server sent with the page; it never changes
 * @property {(key: string, values?: Record<string, unknown>) => string} t a sentence
 * @property {() => State} get
 * @property {(patch: Partial<State>, how?: How) => void} set
 * @property {(listener: (state: State, previous: State, how: How) => void) => () => void} subscribe
 */

/**
 * @template {object} State
 * @template {{messages: Record<string, string>}} Page
 * @param {Page} page
 * @param {State} initial
 * @returns {Store<State, Page>}
 */
export function createStore(page, initial) {
  let state = initial;
  /** @type {Set<(state: State, previous: State, how: How) => void>} */
  const listeners = new Set();
  return {
    page,
    t: (key, values = {}) => sentence(page.messages[key] ?? key, values),
    get: () => state,
    set(patch, how = {}) {
      const previous = state;
      state = { ...state, ...patch };
      for (const listener of [...listeners]) listener(state, previous, how);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/**
 * @param {string} text
 * @param {Record<string, unknown>} values
 */
function sentence(text, values) {
  return text.replace(/\{(\w+)\}/g, (hole, name) => (name in values ? String(values[name]) : hole));
}

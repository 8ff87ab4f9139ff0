/**
 * The one state object of a page, and its listeners.
 *
 * A change is a round: every listener is notified once, with the state and the one before. What a listener
 * sets is visible to `get` at once and is notified after the round. So every listener sees the same changes
 * in the same order, whichever of them subscribed first.
 */

/**
 * @typedef {Object} How
 * @property {boolean} [typing] more of the same may follow at once: wait before asking
 * @property {boolean} [replace] part of the change before: no step of its own in the history
 * @property {boolean} [silent] the change came from the address and is not written back
 */

/**
 * @template State, Page
 * @typedef {Object} Store
 * @property {Page} page sent with the page; constant
 * @property {(key: string, values?: Record<string, unknown>) => string} t a sentence
 * @property {() => State} get
 * @property {(patch: Partial<State>, how?: How) => void} set
 * @property {Store<State, Page>} [base] the store that this one is a view of
 * @property {(listener: (state: State, previous: State, how: How) => void) => () => void} subscribe
 */

/**
 * @template {object} State
 * @template {{messages: Record<string, string>, lang?: string}} Page
 * @param {Page} page
 * @param {State} initial
 * @param {(state: State, previous: State) => State} settle adds the consequences of a change
 * @returns {Store<State, Page>}
 */
export function createStore(page, initial, settle = (state) => state) {
  let state = settle(initial, initial);
  /** @type {Set<(state: State, previous: State, how: How) => void>} */
  const listeners = new Set();
  /** @type {[State, State, How][]} rounds: the current one, and those that wait */
  const rounds = [];
  return {
    page,
    t: (key, values = {}) => sentence(page, page.messages[key] ?? key, values),
    get: () => state,
    set(patch, how = {}) {
      const previous = state;
      state = settle({ ...state, ...patch }, previous);
      rounds.push([state, previous, how]);
      if (rounds.length === 1) tell(rounds, listeners);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/**
 * Runs the rounds in order, also those added meanwhile. A listener that fails keeps no other
 * listener from being called; its error is thrown at the end.
 * @template Round
 * @param {Round[]} rounds the first one is current, and is removed when it is done
 * @param {Set<(...round: any) => void>} listeners
 */
export function tell(rounds, listeners) {
  /** @type {unknown[]} */
  const errors = [];
  for (; rounds.length; rounds.shift()) {
    for (const listener of [...listeners]) {
      try {
        if (listeners.has(listener)) listener(.../** @type {any} */ (rounds[0]));
      } catch (error) {
        errors.push(error);
      }
    }
  }
  if (errors.length) throw errors[0];
}

/**
 * A sentence has its values as {name}, and as {name|row|rows} what is said of one and of any other number.
 * @param {{lang?: string}} page
 * @param {string} text
 * @param {Record<string, unknown>} values
 */
function sentence({ lang }, text, values) {
  return text.replace(/\{(\w+)(?:\|([^|}]*)\|([^|}]*))?\}/g, (hole, name, one, other) => {
    if (!(name in values)) return hole;
    const value = values[name];
    if (other !== undefined) return Number(value) === 1 ? one : other;
    // Three digits are written alike in every language: its tables, which a browser is slow to open, are for more.
    const digits = String(value);
    if (!Number.isInteger(value) || digits.length < 4) return digits;
    return /** @type {number} */ (value).toLocaleString(lang);
  });
}

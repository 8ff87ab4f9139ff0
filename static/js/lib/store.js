/**
 * State and listeners. Each change is a round, in which every listener is called once; changes by listeners wait for
 * the next round, so all see the same order.
 */

/**
 * @typedef {Object} How
 * @property {boolean} [typing] more may follow: delay the request
 * @property {boolean} [replace] no history entry
 * @property {boolean} [silent] do not write the address
 */

/**
 * @template State, Page
 * @typedef {Object} Store
 * @property {Page} page
 * @property {(key: string, values?: Record<string, unknown>) => string} t translate
 * @property {() => State} get
 * @property {(patch: Partial<State>, how?: How) => void} set
 * @property {Store<State, Page>} [base] store that this one derives from
 * @property {(listener: (state: State, previous: State, how: How) => void) => () => void} subscribe
 */

/**
 * @template {object} State @template {{messages: Record<string, string>, lang?: string}} Page @param {Page} page
 * @param {State} initial @param {(state: State, previous: State) => State} settle derives further state
 * @returns {Store<State, Page>}
 */
export function createStore(page, initial, settle = (state) => state) {
  let state = settle(initial, initial);
  /** @type {Set<(state: State, previous: State, how: How) => void>} */
  const listeners = new Set();
  /** @type {[State, State, How][]} current round, and pending ones */
  const rounds = [];
  return {
    page,
    t: (key, values = {}) => sentence(page, page.messages[key] ?? key, values),
    get: () => state,
    set(patch, how = {}) {
      const previous = state;
      state = settle({ ...state, ...patch }, previous);
      if (rounds.push([state, previous, how]) === 1) tell(rounds, listeners);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/**
 * Throws a listener's error after the others ran.
 * @template Round @param {Round[]} rounds the first is current
 * @param {Set<(...round: any) => void>} listeners
 */
export function tell(rounds, listeners) {
  /** @type {unknown[]} */
  const errors = [];
  for (; rounds.length; rounds.shift())
    for (const listener of [...listeners]) {
      try {
        if (listeners.has(listener)) listener(.../** @type {any} */ (rounds[0]));
      } catch (error) {
        errors.push(error);
      }
    }
  if (errors.length) throw errors[0];
}

/**
 * {name}; {name|row|rows} by plural category. Intl is slow at first use.
 * @param {{lang?: string, rules?: Intl.PluralRules}} page @param {string} text @param {Record<string, any>} values
 */
function sentence(page, text, values) {
  return text.replace(/\{(\w+)(?:\|([^|}]*)\|([^|}]*))?\}/g, (hole, name, one, other) => {
    if (!(name in values)) return hole;
    const value = values[name];
    if (one !== undefined)
      return (page.rules ??= new Intl.PluralRules(page.lang)).select(value) === "one" ? one : other;
    return Number.isInteger(value) && Math.abs(value) > 999 ? value.toLocaleString(page.lang) : `${value}`;
  });
}

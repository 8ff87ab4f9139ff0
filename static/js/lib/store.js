/**
 * State and its listeners. If a listener changes the state, the others first get the previous change, so that all get
 * changes in the same order.
 */

/**
 * @template {object} State @template {{messages: Record<string, string>, lang?: string}} Page @param {Page} page
 * @param {State} initial @param {(state: State, previous: State) => State} settle completes a changed state
 * @returns {StoreOf<State, Page>}
 */
export function createStore(page, initial, settle = (state) => state) {
  let state = settle(initial, initial);
  /** @type {Set<(state: State, previous: State, how: How) => void>} */
  const listeners = new Set();
  /** @type {[State, State, How][]} the current change and waiting ones */
  const rounds = [];
  return {
    page,
    t: (key, values = {}) => sentence(page, page.messages[key] ?? key, values),
    get: () => state,
    set(patch, how = {}) {
      const previous = state;
      state = settle({ ...state, ...patch }, previous);
      if (rounds.push([state, previous, how]) === 1) notify(rounds, listeners);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/**
 * @template Round @param {Round[]} rounds @param {Set<(...round: any) => void>} listeners
 * @throws the first error of a listener, after all were called
 */
export function notify(rounds, listeners) {
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
 * Replaces {name} by a value, and {name|row|rows} by singular or plural. Creates plural rules only when needed: Intl
 * is slow.
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

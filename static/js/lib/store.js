/**
 * The one state object of a page, and who is told when it changes.
 *
 * A change is a round: every listener is told of it once, with the state and the one before. What a listener
 * sets is seen by `get` at once, and told when the round is over. So every listener hears of the same changes
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
  /** @type {[State, State, How][]} rounds: the one that is told, and those that wait */
  const rounds = [];
  return {
    page,
    t: (key, values = {}) => sentence(page.messages[key] ?? key, values),
    get: () => state,
    set(patch, how = {}) {
      const previous = state;
      state = { ...state, ...patch };
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
 * Tells the rounds one after the other, those that come meanwhile too. A listener that fails keeps no other
 * from hearing; its error is thrown in the end.
 * @template Round
 * @param {Round[]} rounds the first is told, and leaves when it has been
 * @param {Set<(...round: any) => void>} listeners
 */
function tell(rounds, listeners) {
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
 * A store whose state is made of another's, for views that draw something else in its place. What it has
 * beside the other (`own`) is set with `put`, which tells its listeners alone.
 * @template From, State, Page, Own
 * @param {Store<From, Page>} store
 * @param {(from: From, own: Own, last: {from: From, own: Own, state: State} | null) => State} project
 *   `last` is what was made before: parts that stayed the same can stay the same objects
 * @param {Own} own
 * @param {Partial<Pick<Store<State, Page>, "page" | "t" | "set">>} [instead] of the store's
 * @returns {Store<State, Page> & {own: () => Own, put: (patch: Partial<Own>) => void}}
 */
export function derived(store, project, own, instead = {}) {
  /** @type {WeakMap<object, {own: Own, state: State}>} */
  const made = new WeakMap();
  /** @type {{from: From, own: Own, state: State} | null} */
  let last = null;
  /** @type {Set<(state: State, previous: State, how: How) => void>} */
  const listeners = new Set();
  /** @type {[State, State, How][]} */
  const rounds = [];

  /** @param {From} from */
  function look(from) {
    const known = made.get(/** @type {object} */ (from));
    if (known?.own === own) return known.state;
    last = { from, own, state: project(from, own, last) };
    made.set(/** @type {object} */ (from), last);
    return last.state;
  }

  return {
    page: store.page,
    t: store.t,
    set: /** @type {any} */ (store.set),
    ...instead,
    get: () => look(store.get()),
    own: () => own,
    put(patch) {
      const previous = look(store.get());
      own = { ...own, ...patch };
      rounds.push([look(store.get()), previous, { silent: true }]);
      if (rounds.length === 1) tell(rounds, listeners);
    },
    subscribe(listener) {
      listeners.add(listener);
      const stop = store.subscribe((state, previous, how) => {
        const before = made.get(/** @type {object} */ (previous))?.state ?? look(previous);
        listener(look(state), before, how);
      });
      return () => listeners.delete(listener) && stop();
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

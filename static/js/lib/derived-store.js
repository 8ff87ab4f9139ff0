import { notify } from "./store.js";

/**
 * A store with a state computed from that of `store` and from `own`; `put` changes `own`.
 * @template State, Page, From, Own @param {StoreOf<From, Page>} store
 * @param {(from: From, own: Own, last: {from: From, own: Own, state: State} | null) => State} project may reuse objects
 * of `last`, its previous result @param {Own} own
 * @param {Partial<Pick<StoreOf<State, Page>, "page" | "t" | "set">>} [instead] overrides fields of `store`
 * @returns {StoreOf<State, Page> & {own: () => Own, put: (patch: Partial<Own>) => void}}
 */
export function deriveStore(store, project, own, instead = {}) {
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
      if (rounds.push([look(store.get()), previous, { silent: true }]) === 1) notify(rounds, listeners);
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

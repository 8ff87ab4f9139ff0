/** @type {import("./word-lens.js").WordLens | null} */
let lens = null;

/** @param {import("./word-lens.js").WordLens} made */
export const setLens = (made) => void (lens = made);

/** @param {State} state */
export const ofWeights = (state) => lens?.ofWeights(state) ?? state;

/** @param {State} state */
export const inWords = (state) => lens?.wordState(state) ?? state;

/** @param {Store} store @param {(state: State) => boolean} where @param [by] @returns {Store} */
export function storeInWords(store, where = () => true, by = inWords) {
  const see = (/** @type {State} */ state) => (where(state) ? by(state) : state);
  return {
    ...store,
    base: store,
    get: () => see(store.get()),
    set(patch, how) {
      const state = store.get();
      const seen = see(state);
      store.set(lens && seen !== state ? lens.back(patch, seen, state) : patch, how);
    },
    subscribe: (listener) => store.subscribe((state, previous, how) => listener(see(state), see(previous), how)),
  };
}

/**
 * @template {any[]} Rest @param {(root: HTMLElement, store: Store, ...rest: Rest) => Part} view
 * @param {(state: State) => boolean} [where] @param {(state: State) => State} [by]
 * @returns {(root: HTMLElement, store: Store, ...rest: Rest) => Part}
 */
export const wordView =
  (view, where, by) =>
  (root, store, ...rest) => {
    const seen = storeInWords(store, where, by);
    const part = view(root, seen, ...rest);
    /** @type {State | undefined} */
    let drawn;
    return {
      update() {
        const state = seen.get();
        part.update(state, drawn);
        drawn = state;
      },
      destroy: () => part.destroy(),
    };
  };

/** @template {any[]} Rest @param {(root: HTMLElement, store: Store, ...rest: Rest) => Part} view */
export const weightView = (view) => wordView(view, undefined, ofWeights);

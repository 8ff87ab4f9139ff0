/** Views that draw the weights between words where words are chosen in place of pieces. */

/** @typedef {import("./state.js").State} State */
/** @typedef {import("./state.js").Store} Store */
/** @typedef {import("./state.js").Part} Part */

/** @type {import("./word-lens.js").WordLens | null} */
let lens = null;

/** @param {import("./word-lens.js").WordLens} made */
export const setLens = (made) => void (lens = made);

/** The state of pictures of weights: in words, or without keys that are left out. @param {State} state @returns {State} */
export const ofWeights = (state) => lens?.ofWeights(state) ?? state;

/** The state with words in place of pieces, where they are chosen and known. @param {State} state @returns {State} */
export const inWords = (state) => lens?.see(state) ?? state;

/**
 * A store with that state; values set through it count words.
 * @param {Store} store
 * @param {(state: State) => boolean} where the state is seen so at all
 * @param {(state: State) => State} [by] how it is seen
 * @returns {Store}
 */
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
 * @template {any[]} Rest
 * @param {(root: HTMLElement, store: Store, ...rest: Rest) => Part} view
 * @param {(state: State) => boolean} [where]
 * @param {(state: State) => State} [by]
 * @returns {(root: HTMLElement, store: Store, ...rest: Rest) => Part}
 */
export const worded =
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

/**
 * A view of weights, between words or without the keys that are left out.
 * @template {any[]} Rest
 * @param {(root: HTMLElement, store: Store, ...rest: Rest) => Part} view
 */
export const weighted = (view) => worded(view, undefined, ofWeights);

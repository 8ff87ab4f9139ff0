/** Stores in which a change stands in the place of the numbers, so that the views of the page draw it. */

import { signed } from "./difference.js";

/** @typedef {import("./answer.js").Answer} Answer */
/** @typedef {import("./before.js").Change} Change */
/** @typedef {import("./everybefore.js").EveryChange} EveryChange */
/** @typedef {import("./state.js").State} State */
/** @typedef {import("./state.js").Store} Store */
/** @typedef {{change: Change | null, store: Store}} Lens */
/** @typedef {{change: EveryChange | null, store: Store}} HeadsLens */

/**
 * @template C
 * @param {Store} store
 * @param {(from: State, change: C | null) => State} look
 * @returns {{change: C | null, store: Store}}
 */
function through(store, look) {
  /** @type {{from: State, change: C | null, state: State} | null} */
  let last = null;
  /** @param {State} from @returns {State} */
  const seen = (from) => {
    if (last?.from !== from || last.change !== own.change)
      last = { from, change: own.change, state: look(from, own.change) };
    return last.state;
  };
  /** @type {{change: C | null, store: Store}} */
  const own = {
    change: null,
    store: {
      ...store,
      get: () => seen(store.get()),
      subscribe: (listener) => store.subscribe((state, previous, how) => listener(seen(state), seen(previous), how)),
    },
  };
  return own;
}

/**
 * The page's store with the change in the answer's place.
 * @param {Store} store
 * @returns {Lens}
 */
export function lens(store) {
  return through(store, (from, /** @type {Change | null} */ change) => ({ ...from, answer: /** @type {any} */ (change) }));
}

/**
 * The page's store with the change of every head in the weights' place. Its answer stays, and tells
 * the tokens; a rollout has no change here.
 * @param {Store} store
 * @returns {HeadsLens}
 */
export function headsLens(store) {
  const stages = store.page.stages.map((stage) => (stage.name === "weights" ? signed(stage) : stage));
  const page = { ...store.page, stages };
  return through({ ...store, page }, (from, /** @type {EveryChange | null} */ change) => {
    return { ...from, every: change?.every ?? null, view: { ...from.view, rollout: false } };
  });
}

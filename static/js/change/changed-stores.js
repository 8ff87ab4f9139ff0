/** Stores whose `answer` or `every` is the change, so that views draw it. */

import { signed } from "../difference/difference.js";
import { deriveStore } from "../lib/derived-store.js";

/** @typedef {{change: import("./previous-answer.js").Change | null, store: Store}} Lens */
/** @typedef {{change: import("./previous-heads.js").AllHeadsChange | null, store: Store}} HeadsLens */

/**
 * @template C
 * @param {Store} store @param {(from: State, change: C | null) => State} look
 * @returns {{change: C | null, store: Store}}
 */
function storeOfChange(store, look) {
  const none = /** @type {C | null} */ (null);
  const seen = deriveStore(store, (from, { change }) => look(from, change), { change: none });
  return {
    get change() {
      return seen.own().change;
    },
    set change(change) {
      if (change !== seen.own().change) seen.put({ change });
    },
    store: seen,
  };
}

/** @param {Store} store */
export function changeStore(store) {
  return storeOfChange(store, (from, change) => ({ ...from, answer: /** @type {any} */ (change) }));
}

/**
 * For the Heads tab. Keeps `answer` for the tokens; turns rollout off, as its change is not computed.
 * @param {Store} store
 */
export function headsChangeStore(store) {
  const stages = store.page.stages.map((stage) => (stage.name === "weights" ? signed(stage) : stage));
  const page = { ...store.page, stages };
  return storeOfChange({ ...store, page }, (from, change) => {
    return { ...from, every: change?.every ?? null, view: { ...from.view, rollout: false } };
  });
}

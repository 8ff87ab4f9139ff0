/** Loads the panel when the first token is picked. */

import { lazyLoad } from "../lib/load.js";

/** @type {ViewOf} */
export function picked(root, store) {
  let loading = false;
  /** @type {Part | null} */
  let part = null;

  async function load() {
    loading = true;
    part = (await lazyLoad(() => import("./token-sums.js"))).sums(root, store);
    part.update(store.get());
  }

  return {
    update(state, previous) {
      if (part) part.update(state, previous);
      else if (state.view.picked && state.answer && !loading) load();
    },
    destroy() {
      part?.destroy();
    },
  };
}

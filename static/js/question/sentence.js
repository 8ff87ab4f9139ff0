/** The sentence box: it grows with what is typed, and each line is a sentence of the batch. */

import { fetched } from "../lib/load.js";
import { textBox } from "./text-box.js";

/** @typedef {import("../core/state.js").Part} Part */
/** @typedef {import("../core/state.js").State} State */

/** @type {import("../core/state.js").ViewOf} */
export function sentence(root, store) {
  const box = textBox(root, store, "text");
  /** @type {Part | null} */
  let context = null;
  let loading = false;

  async function load() {
    loading = true;
    context = (await fetched(() => import("./context.js"))).context(root, store);
    context.update(store.get());
  }

  return {
    update(state, previous) {
      box.update(state, previous);
      if (state.question.context !== null && !loading) load();
      context?.update(state, previous);
    },
    destroy() {
      context?.destroy();
      root.replaceChildren();
    },
  };
}

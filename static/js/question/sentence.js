/** Sentence box: each line is a text, or all lines are one text. */

import { installedOf } from "../core/page.js";
import { lazyLoad } from "../lib/load.js";
import { textBox } from "./text-box.js";

/** @type {ViewOf} */
export function sentence(root, store) {
  const box = textBox(root, store, {
    field: "text",
    x: "x",
    tokens: "tokens",
    says: ["text.placeholder", "text.x_given", "text.tokens_given"],
  });
  /** @type {Part | null} */
  let below = null;
  let loading = false;

  async function load() {
    loading = true;
    below = (await lazyLoad(() => import("./extra-text-boxes.js"))).extraTextBoxes(root, store);
    below.update(store.get());
  }

  return {
    update(state, previous) {
      const { question } = state;
      const more = (question.context ?? question.pair) !== null || installedOf(store.page, question)?.pairs;
      box.update(state, previous);
      if (more && !loading) load();
      below?.update(state, previous);
    },
    destroy() {
      below?.destroy();
      box.destroy();
    },
  };
}

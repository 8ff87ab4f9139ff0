/** Shows how the answer differs from the model's own forward pass. */

import { fill, h } from "../lib/dom.js";

export function notesPlace() {
  const root = h("p", { class: "model-notes", role: "note", hidden: true });
  return {
    root,
    /** @param {Answer | null} answer */
    update(answer) {
      const notes = answer?.reply.notes ?? [];
      root.hidden = notes.length === 0;
      fill(root, ...notes.map(({ message }) => h("span", {}, message)));
    },
  };
}

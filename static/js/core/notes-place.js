/** Notes on how an answer's numbers differ from the model's own. */

import { fill, h } from "../lib/dom.js";

/** The element with the notes of one answer; hidden if there are none. */
export function notesPlace() {
  const root = h("p", { class: "model-notes", role: "note", hidden: true });
  return {
    root,
    /** @param {import("./answer.js").Answer | null} answer */
    update(answer) {
      const notes = answer?.reply.notes ?? [];
      root.hidden = notes.length === 0;
      fill(
        root,
        notes.map(({ message }) => h("span", {}, message)),
      );
    },
  };
}

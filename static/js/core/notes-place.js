/** Where notes stand that say how an answer's numbers differ from those of the model itself. */

import { fill, h } from "../lib/dom.js";

/** A place for the notes of one answer; hidden where it has none. */
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

/** Notes under the sentence when the numbers are not those of the model itself; claims about words are hidden then. */

import { fill, h } from "../lib/dom.js";

/** @param {import("../core/state.js").Store} store */
export function startNotes(store) {
  const place = h("p", { class: "model-notes", role: "note", hidden: true });
  document.getElementById("looks")?.after(place);

  /** @param {import("../core/state.js").State} state */
  function show({ answer }) {
    const notes = answer?.reply.notes ?? [];
    place.hidden = notes.length === 0;
    document.body.toggleAttribute("data-noted", notes.length > 0);
    fill(
      place,
      notes.map(({ message }) => h("span", {}, message)),
    );
  }

  store.subscribe((state, previous) => state.answer !== previous.answer && show(state));
  show(store.get());
}

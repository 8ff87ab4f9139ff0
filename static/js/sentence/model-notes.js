/** Hides claims about words while numbers differ from the model's. */

import { notesPlace } from "../core/notes-place.js";

/** @param {Store} store */
export function startNotes(store) {
  const place = notesPlace();
  document.getElementById("looks")?.after(place.root);

  /** @param {State} state */
  function show({ answer }) {
    place.update(answer);
    document.body.toggleAttribute("data-noted", !place.root.hidden);
  }

  store.subscribe((state, previous) => state.answer !== previous.answer && show(state));
  show(store.get());
}

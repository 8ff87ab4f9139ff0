/** The line that says that the numbers are not those of the model. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { newDocument } from "../support/document.js";
import { startNotes } from "../../../static/js/sentence/model-notes.js";

const NOTED = {
  reply: {
    notes: [
      { code: "attention_only", message: "Alone." },
      { code: "random_words", message: "Random." },
    ],
  },
};

test("notes stand under the sentence while an answer has some", () => {
  const page = newDocument();
  page.body.innerHTML = '<section id="looks"></section>';
  /** @type {any} */
  let listener;
  let state = /** @type {any} */ ({ answer: null });
  startNotes(/** @type {any} */ ({ get: () => state, subscribe: (/** @type {any} */ f) => (listener = f) }));
  const place = /** @type {HTMLElement} */ (page.querySelector("#looks + .model-notes"));
  const turn = (/** @type {any} */ answer) => listener((state = { answer }), { answer: {} });
  assert.equal(place.hidden, true);
  turn(NOTED);
  assert.deepEqual([place.hidden, place.textContent], [false, "Alone.Random."]);
  assert.ok(page.body.hasAttribute("data-noted"));
  turn({ reply: { notes: [] } });
  assert.deepEqual([place.hidden, page.body.hasAttribute("data-noted")], [true, false]);
});

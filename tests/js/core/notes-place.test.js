/** A place for the notes of an answer. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { newDocument } from "../support/document.js";
import { notesPlace } from "../../../static/js/core/notes-place.js";

test("each note stands on a line of its own, and without one the place is hidden", () => {
  newDocument();
  const { root, update } = notesPlace();
  const answer = (/** @type {string[]} */ ...said) =>
    /** @type {any} */ ({ reply: { notes: said.map((message) => ({ code: "random_words", message })) } });
  assert.equal(root.hidden, true);
  update(answer("One.", "Two."));
  assert.deepEqual([root.hidden, [...root.children].map(({ textContent }) => textContent)], [false, ["One.", "Two."]]);
  for (const none of [answer(), null]) {
    update(answer("One."));
    update(none);
    assert.deepEqual([root.hidden, root.textContent], [true, ""]);
  }
});

/**
 * Marks special tokens that the tokenizer added, and unknown tokens, and adds the first one to the titles of heads named after the first token.
 * Runs after the first picture to keep its script small.
 */

import { encodes, wholeOf } from "../core/answer.js";
import { withFirst } from "../core/first-added.js";

/** @typedef {import("../core/answer.js").Reply} Reply */
/** @typedef {import("../core/state.js").Store} Store */

const PLACES = "#tokens, #looks";
const ITEMS = "#tokens .chip, .sentence-tokens.axis-query > li";
const LAYERS = "#looks .head-chips .layer";
const BOTH = `${ITEMS}, .sentence-tokens.axis-key > li`; // where the keys are the same tokens

/** Null too for a sentence whose answer is still on its way. @param {Reply} reply @param {number} batch @param {number} at @returns {"added" | "unknown" | null} */
const kindOf = ({ added, unknown }, batch, at) =>
  (added?.[batch]?.[at] && "added") || (unknown?.[batch]?.[at] && "unknown") || null;

/** @param {Store} store */
export function startMarking(store) {
  function mark() {
    const state = store.get();
    const { answer, view } = state;
    if (!answer) return;
    const { reply } = answer;
    for (const [layer, heads] of document.querySelectorAll(LAYERS).entries())
      for (const chip of heads.querySelectorAll("[title]")) {
        const element = /** @type {HTMLElement} */ (chip);
        const about = withFirst(store.t, state, layer, element.title);
        if (about !== element.title) element.title = about;
      }
    if (encodes(wholeOf(reply), view.layer)) return; // its tokens are those of the context
    for (const item of document.querySelectorAll(reply.context_lengths ? ITEMS : BOTH)) {
      const element = /** @type {HTMLElement} */ (item);
      const kind = kindOf(reply, view.batch, Number(element.dataset.at));
      if (!kind || element.dataset.kind) continue;
      element.dataset.kind = kind;
      element.title = [element.title, store.t(`sentence.${kind}`)].filter(Boolean).join(". ");
    }
  }

  const drawn = new MutationObserver(mark);
  for (const place of document.querySelectorAll(PLACES)) drawn.observe(place, { childList: true, subtree: true });
  mark();
}

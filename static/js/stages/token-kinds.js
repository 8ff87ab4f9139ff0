/** Marks and explains tokens that the tokenizer added or does not know. */

import { encodes, wholeOf } from "../core/answer.js";
import { withFirstNote } from "../core/added-first-token.js";
import { fill, h } from "../lib/dom.js";

const KINDS = /** @type {const} */ (["added", "unknown"]);
const MEANS = { added: "sentence.these_added", unknown: "sentence.these_unknown" };
const PLACES = "#tokens, #looks";
const ITEMS = "#tokens .chip, .sentence-tokens.axis-query > li";
const LAYERS = "#looks .head-chips .layer";
const BOTH = `${ITEMS}, .sentence-tokens.axis-key > li`; // without a context, keys are the same tokens

/** @param {Reply} reply @param {number} batch @param {number} at */
const kindOf = (reply, batch, at) => KINDS.find((kind) => reply[kind]?.[batch]?.[at]) ?? null;

/** @param {Store} store */
export function startMarking(store) {
  const line = h("p", { class: "token-kinds muted" });
  document.querySelector("#looks .seen-line")?.after(line);

  function mark() {
    const state = store.get();
    const { answer, view } = state;
    if (!answer) return;
    const { reply } = answer;
    const marked = KINDS.some((kind) => reply[kind]?.[view.batch]?.some(Boolean));
    if (!marked && !wholeOf(reply).added?.[view.batch]?.[0]) return explain(reply, view.batch);
    for (const [layer, heads] of document.querySelectorAll(LAYERS).entries())
      for (const chip of heads.querySelectorAll("[title]")) {
        const element = /** @type {HTMLElement} */ (chip);
        const about = withFirstNote(store.t, state, layer, element.title);
        if (about !== element.title) element.title = about;
      }
    explain(reply, view.batch);
    if (encodes(wholeOf(reply), view.layer)) return; // an encoder layer shows tokens of the context
    for (const item of document.querySelectorAll(reply.context_lengths ? ITEMS : BOTH)) {
      const element = /** @type {HTMLElement} */ (item);
      const kind = kindOf(reply, view.batch, Number(element.dataset.at));
      if (!kind || element.dataset.kind) continue;
      element.dataset.kind = kind;
      element.title = [element.title, store.t(`sentence.${kind}`)].filter(Boolean).join(". ");
    }
  }

  /** @param {Reply} reply @param {number} batch */
  function explain(reply, batch) {
    const said = KINDS.flatMap((kind) => {
      const tokens = new Set(reply.tokens?.[batch]?.filter((_, at) => kindOf(reply, batch, at) === kind));
      if (tokens.size === 0) return [];
      const names = [...tokens].flatMap((token) => [h("b", { "data-kind": kind }, token), " "]);
      return [h("span", {}, names, store.t(MEANS[kind]))];
    });
    const [now, before] = [said.map(({ textContent }) => textContent).join(""), line.textContent];
    if (now !== before) fill(line, said); // unchanged text must not wake the observer
    line.hidden = said.length === 0;
  }

  const drawn = new MutationObserver(mark);
  for (const place of document.querySelectorAll(PLACES)) drawn.observe(place, { childList: true, subtree: true });
  mark();
}

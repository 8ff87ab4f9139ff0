import { installedOf } from "../core/page.js";
import { setField } from "../core/question-changes.js";
import { h } from "../lib/dom.js";
import { pickable } from "../stages/pickable-chips.js";
import { chips } from "../stages/token-chips.js";
import { longChips } from "../stages/token-search.js";
import { textBox } from "./text-box.js";

/** @type {import("./text-box.js").Side} */
const CONTEXT = {
  field: "context",
  x: "context_x",
  tokens: "context_tokens",
  says: ["context.placeholder", "context.x_given", "context.tokens_given"],
};

/** @type {ViewOf} */
export function context(root, store) {
  const [line, strip] = [h("div", { class: "context" }), h("div", { class: "tokens" })];
  if (root.dataset.side) line.dataset.side = root.dataset.side;
  const field = textBox(line, store, CONTEXT);
  const name = store.t("context.leave");
  const leave = () => setField(store, "context", null);
  const close = h("button", { class: "close", onclick: leave, "aria-label": name, title: name }, "✕");
  line.append(strip, close);
  root.append(line);
  const rows = [chips(strip, store, "key", longChips(store, "key")), pickable(strip, store, "key")];
  if (document.activeElement?.closest("[data-field='context']")) field.box.focus();

  return {
    update(state, previous) {
      line.hidden = state.question.context === null;
      field.update(state, previous);
      strip.hidden = !state.answer?.reply.context_lengths;
      if (strip.hidden) return;
      for (const row of rows) row.update(state, previous);
    },
    destroy: () => line.remove(),
  };
}

/**
 * Also true for a second sentence that the model cannot read.
 * @param {Page} page @param {Pick<Question, "model" | "x" | "tokens" | "pair">} question
 */
export const hasPairBox = (page, question) =>
  !question.x && !question.tokens && (question.pair !== null || Boolean(installedOf(page, question)?.pairs));

/** @type {import("./text-box.js").Side} */
const PAIR = {
  field: "pair",
  x: "x",
  tokens: "tokens",
  says: ["pair.placeholder", "", ""],
  typed: (text) => text || null, // an empty box means no second sentence
};

/** @type {ViewOf} */
export function extraTextBoxes(root, store) {
  const parts = [second(root, store), context(root, store)];
  return {
    update: (state, previous) => parts.forEach((part) => part.update(state, previous)),
    destroy: () => parts.forEach((part) => part.destroy()),
  };
}

/** @type {ViewOf} */
function second(root, store) {
  const line = h("div", { class: "second" });
  if (root.dataset.side) line.dataset.side = root.dataset.side;
  const field = textBox(line, store, PAIR);
  root.append(line);
  return {
    update(state, previous) {
      line.hidden = !hasPairBox(store.page, state.question);
      field.update(state, previous);
    },
    destroy: () => line.remove(),
  };
}

/** Slider over the revisions that a model's training saved. */

import { setField } from "../core/question-changes.js";
import { installedOf } from "../core/page.js";
import { h } from "../lib/dom.js";

/**
 * @param {Store} store
 * @returns {import("../question/fields.js").Field}
 */
export function revisionSlider(store) {
  /** @param {State} state */
  const revisionsOf = ({ question }) => installedOf(store.page, question)?.revisions ?? [];
  const turn = () => setField(store, "model.revision", revisionsOf(store.get())[input.valueAsNumber]);
  const input = h("input", { type: "range", min: "0", step: "1", oninput: turn });
  const step = h("output", {});
  return {
    root: h("label", { class: "field" }, h("span", {}, store.t("field.revision")), input, step),
    update(state) {
      const revisions = revisionsOf(state);
      const last = revisions.length - 1;
      const at = revisions.indexOf(state.question.model.revision ?? revisions[last]);
      input.max = String(last);
      input.value = String(at);
      step.textContent = textOf(store, revisions, at);
      input.setAttribute("aria-valuetext", step.textContent);
    },
  };
}

/**
 * @param {Store} store
 * @param {string[]} revisions
 * @param {number} at
 */
function textOf(store, revisions, at) {
  const step = (revisions[at] ?? "").replace(/\D+/g, "");
  return store.t(at === revisions.length - 1 ? "choice.revision.last" : "choice.revision.step", { step });
}

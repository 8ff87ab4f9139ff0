import { setField } from "../core/question-changes.js";
import { h } from "../lib/dom.js";
import { numberField, wordField } from "./fields.js";

/** @param {Store} store */
export function trainedFields(store) {
  const { lessons, limits } = store.page;
  const task = wordField(store, "model.task", Object.keys(lessons));
  const fields = [
    task,
    numberField(store, "model.rate", { min: 0, max: limits.max_rate, step: "any" }),
    numberField(store, "model.step", { min: 0, max: limits.max_training_steps }),
    numberField(store, "model.seed", { min: 0, max: limits.max_seed }),
  ];
  // Each task has its own vocabulary, hence its own example.
  task.root.querySelector("select")?.addEventListener("change", () => giveExample(store));
  const roots = fields.map((field) => field.root);
  return {
    root: h("span", { class: "fields" }, roots),
    update: (/** @type {State} */ state) => fields.forEach((field) => field.update(state)),
  };
}

/** @param {Store} store */
function giveExample(store) {
  const { task } = store.get().question.model;
  setField(store, "text", store.page.lessons[task].example, { replace: true });
}

import { MATRICES, defaultModel } from "../core/question.js";

/** Fields visible outside the menu; they are not counted. */
const VISIBLE_FIELDS =
  "text tokens x context context_tokens context_x pair breaks model causal scale temperature".split(" ");
const VISIBLE_MODEL_FIELDS = [
  ..."seed d_model num_heads name revision digest id task rate step".split(" "),
  ...MATRICES,
];

/** @param {Pick<Store, "page" | "t">} store @param {Pick<State, "question">} state */
export function changedText({ page, t }, { question }) {
  const { model } = question;
  const n =
    changed(question, page.defaults, VISIBLE_FIELDS) +
    changed(model, defaultModel(page, model.source), VISIBLE_MODEL_FIELDS);
  return n ? t("more.changed", { n }) : "";
}

/** @param {Record<string, any>} values @param {Record<string, any>} defaults @param {string[]} seen */
function changed(values, defaults, seen) {
  const text = (/** @type {any} */ value) => JSON.stringify(value ?? null);
  return Object.keys(values).filter((name) => !seen.includes(name) && text(values[name]) !== text(defaults[name]))
    .length;
}

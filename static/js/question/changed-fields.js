/** What is seldom changed, and how much of it is not as by default. */

import { defaultModel } from "../core/question.js";

/** @typedef {import("../core/state.js").State} State */
/** @typedef {import("../core/state.js").Store} Store */

/** Options of the question that live in this menu, and those of its model, where it has them. */
const OPTIONS = ["window", "prefix", "blocked", "mask", "padding", "drop", "tokenizer", "context_length", "dtype"];
const MODEL = [
  "num_kv_heads",
  "d_k",
  "d_v",
  "num_layers",
  "init",
  "share",
  "bias",
  "positions",
  "block",
  "mlp",
  "activation",
  "output_projection",
];

/**
 * How many fields of the menu are not as by default, in words; nothing where all are.
 * @param {Pick<Store, "page" | "t">} store
 * @param {Pick<State, "question">} state
 */
export function tellChanged({ page, t }, { question }) {
  const { model } = question;
  const own = MODEL.filter((name) => name in model);
  const n = changed(question, page.defaults, OPTIONS) + changed(model, defaultModel(page, model.source), own);
  return n ? t("more.changed", { n }) : "";
}

/**
 * How many fields differ from their default.
 * @param {Record<string, any>} values
 * @param {Record<string, any>} defaults
 * @param {string[]} names
 */
function changed(values, defaults, names) {
  const text = (/** @type {any} */ value) => JSON.stringify(value ?? null);
  return names.filter((name) => text(values[name]) !== text(defaults[name])).length;
}

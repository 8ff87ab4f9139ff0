/** The menu of what is seldom changed; its fields are fetched once there is something to see, or with the first press. */

import { defaultModel } from "../core/question.js";
import { settled } from "../core/state.js";
import { closeOutside, h } from "../lib/dom.js";
import { fetched } from "../lib/load.js";

/** @typedef {import("../core/state.js").State} State */
/** @typedef {import("../core/state.js").Store} Store */
/** @typedef {import("./fields.js").Field} Field */

/** Options of the question that live in this menu, and those of its model, where it has them. */
const OPTIONS = ["window", "prefix", "blocked", "drop", "tokenizer", "context_length", "dtype"];
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
  "output_projection",
];

/** @type {Promise<void>} of the menu made last: settled once its fields stand in it */
let standing = Promise.resolve();
export const fieldsStand = () => standing;

/**
 * Everything that is seldom changed, with a count of what differs from the default.
 * @param {Store} store
 * @returns {Field}
 */
export function moreMenu(store) {
  const { t, get } = store;
  const count = h("span", { class: "badge" });
  const panel = h("div", { class: "panel" });
  const root = h("details", { class: "menu more", ontoggle: load }, h("summary", {}, t("more.title"), count), panel);
  closeOutside(root);
  /** @type {Field | null} */
  let fields = null;
  let loading = false;

  async function fetchFields() {
    const { moreFields } = await fetched(() => import("./more-fields.js"));
    fields = moreFields(panel, store);
    fields.update(get());
  }

  function load() {
    if (!loading) standing = fetchFields();
    loading = true;
  }

  return {
    root,
    update(state) {
      const told = tellChanged(store, state);
      count.textContent = told && ` ${told}`; // the space parts the two in the name
      if (settled(state)) load();
      fields?.update(state);
    },
  };
}

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

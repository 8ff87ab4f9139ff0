/** The menu of what is seldom changed. */

import { ask, look } from "../core/actions.js";
import { PRECISIONS } from "../core/address/fields.js";
import { defaultModel } from "../core/question.js";
import { closeOutside, h } from "../lib/dom.js";
import { choice, offer } from "../lib/select.js";
import { flagField, numberField, selectField, wordField } from "./fields.js";

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

/**
 * Everything that is seldom changed, with a count of what differs from the default.
 * @param {Store} store
 * @returns {Field}
 */
export function moreMenu(store) {
  const { t } = store;
  const groups = moreFields(store);
  const count = h("span", { class: "badge" });
  const panel = h("div", { class: "panel" });
  const root = h("details", { class: "menu more" }, h("summary", {}, t("more.title"), count), panel);
  closeOutside(root);
  for (const { title, fields } of groups) {
    const box = h(
      "fieldset",
      {},
      h("legend", {}, t(title)),
      fields.map((field) => field.root),
    );
    panel.append(box);
  }
  return {
    root,
    update(state) {
      const { model } = state.question;
      const own = MODEL.filter((name) => name in model);
      /** @type {HTMLElement} */ (panel.firstElementChild).hidden = !own.length;
      for (const { root } of groups[0].fields)
        root.hidden = !own.some((name) => root.dataset.field === `model.${name}`);
      for (const { fields } of groups) for (const field of fields) field.update(state);
      const told = tellChanged(store, state);
      count.textContent = told && ` ${told}`; // the space parts the two in the name
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

/** @param {Store} store */
function moreFields(store) {
  const { limits, choices } = store.page;
  const auto = { optional: true, placeholder: store.t("field.auto") };
  const heads = { min: 1, max: limits.max_heads, ...auto };
  const width = { min: 1, max: limits.max_d_model, ...auto };
  const long = { min: 1, max: limits.max_tokens, ...auto };
  return [
    {
      title: "more.model",
      fields: [
        numberField(store, "model.num_layers", { min: 1, max: limits.max_layers }),
        numberField(store, "model.num_kv_heads", heads),
        numberField(store, "model.d_k", width),
        numberField(store, "model.d_v", width),
        wordField(store, "model.init", choices.init),
        wordField(store, "model.share", choices.share),
        wordField(store, "model.positions", choices.positions),
        wordField(store, "model.block", choices.block),
        flagField(store, "model.mlp"),
        flagField(store, "model.bias"),
        flagField(store, "model.output_projection"),
      ],
    },
    {
      title: "more.mask",
      fields: [
        numberField(store, "window", { ...long, placeholder: store.t("field.none") }),
        numberField(store, "prefix", { min: 0, max: limits.max_tokens }),
        listField(store, "blocked", { count: "blocked.count", clear: "blocked.clear" }),
        listField(store, "drop", { count: "drop.count", clear: "drop.clear" }),
      ],
    },
    {
      title: "more.text",
      fields: [
        wordField(store, "tokenizer", choices.tokenizer),
        numberField(store, "context_length", long),
        selectField(
          store,
          "dtype",
          [null, ...choices.dtype].map((value) => ({ value, label: value ?? store.t("field.auto") })),
        ),
        precisionField(store),
      ],
    },
  ];
}

/**
 * What is chosen on the pictures: how many there are, and the way to have none.
 * @param {Store} store
 * @param {"blocked" | "drop"} name
 * @param {{count: string, clear: string}} texts
 * @returns {Field}
 */
function listField(store, name, { count, clear: cleared }) {
  const text = h("span");
  const clear = h("button", { type: "button", class: "link", onclick: () => ask(store, name, []) }, store.t(cleared));
  const root = h("div", { class: "field", "data-field": name }, text, clear);
  return {
    root,
    update({ question }) {
      root.hidden = question[name].length === 0;
      text.textContent = store.t(count, { n: question[name].length });
    },
  };
}

/**
 * Decimals shown; they belong to the view, not to the question.
 * @param {Store} store
 * @returns {Field}
 */
function precisionField(store) {
  const select = choice((n) => look(store, { precision: Number(n) }));
  offer(select, PRECISIONS, null);
  const root = h("label", { class: "field" }, h("span", {}, store.t("field.precision")), select);
  return { root, update: ({ view }) => void (select.value = String(view.precision)) };
}

import { setView } from "../core/actions.js";
import { setField } from "../core/question-changes.js";
import { PRECISIONS } from "../core/address/fields.js";
import { fill, h } from "../lib/dom.js";
import { makeSelect, setOptions } from "../lib/select.js";
import { flagField, numberField, selectField, wordField } from "./fields.js";

/** @typedef {import("./fields.js").Field} Field */

/** @param {HTMLElement} root @param {Store} store @returns {Field} */
export function moreFields(root, store) {
  const groups = groupsOf(store);
  const boxes = groups.map(({ title, fields }) => {
    const roots = fields.map((field) => field.root);
    return h("fieldset", {}, h("legend", {}, store.t(title)), roots);
  });
  fill(root, boxes);
  return {
    root,
    update(state) {
      const own = groups[0].fields.map(
        ({ root: { dataset } }) => (dataset.field ?? "").replace("model.", "") in state.question.model,
      );
      groups[0].fields.forEach((field, at) => (field.root.hidden = !own[at]));
      boxes[0].hidden = !own.includes(true);
      for (const { fields } of groups) for (const field of fields) field.update(state);
    },
  };
}

/** @param {Store} store */
function groupsOf(store) {
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
        wordField(store, "model.norm", choices.norm),
        flagField(store, "model.mlp"),
        wordField(store, "model.activation", choices.activation),
        flagField(store, "model.bias"),
        flagField(store, "model.output_projection"),
      ],
    },
    {
      title: "more.mask",
      fields: [
        numberField(store, "window", { ...long, placeholder: store.t("field.none") }),
        numberField(store, "global_tokens", { min: 0, max: limits.max_tokens }),
        listField(store, "global_tokens", { count: "global_tokens.count", clear: "position_ids.clear" }),
        numberField(store, "stride", { ...long, placeholder: store.t("field.none") }),
        numberField(store, "block_size", { ...long, placeholder: store.t("field.none") }),
        numberField(store, "prefix", { min: 0, max: limits.max_tokens }),
        wordField(store, "padding", choices.padding),
        listField(store, "blocked", { count: "blocked.count", clear: "blocked.clear" }),
        listField(store, "knockouts", { count: "knockouts.count", clear: "blocked.clear" }),
        listField(store, "mask", { count: "mask.count", clear: "mask.clear" }),
        listField(store, "context_mask", { count: "context_mask.count", clear: "context_mask.clear" }),
        listField(store, "drop", { count: "drop.count", clear: "drop.clear" }),
      ],
    },
    {
      title: "more.text",
      fields: [
        tokenizerField(store),
        specialTokensField(store),
        listField(store, "position_ids", { count: "position_ids.count", clear: "position_ids.clear" }),
        numberField(store, "context_length", long),
        choiceField(store, "dtype", choices.dtype),
        precisionField(store),
      ],
    },
  ];
}

/** Installed models offer only their own tokenizer, "model"; others offer all others. @param {Store} store */
function tokenizerField(store) {
  const field = wordField(store, "tokenizer", store.page.choices.tokenizer);
  const select = /** @type {HTMLSelectElement} */ (field.root.querySelector("select"));
  const { update } = field;
  field.update = (state) => {
    update(state);
    const { tokenizer, model } = state.question;
    const own = model.source === "installed";
    const now = tokenizer ?? (own ? "model" : "words");
    store.page.choices.tokenizer.forEach((word, at) => {
      select.options[at].hidden = word !== now && own !== (word === "model");
      if (word === now) select.value = String(at);
    });
  };
  return field;
}

/** @param {Store} store */
function specialTokensField(store) {
  const field = wordField(store, "special_tokens", store.page.choices.special_tokens);
  const { update } = field;
  field.update = (state) => {
    update(state);
    field.root.hidden = !["installed", "uploaded"].includes(state.question.model.source);
  };
  return field;
}

/** @param {Store} store @param {string} path @param {string[]} words */
function choiceField(store, path, words) {
  const label = (/** @type {string} */ word) => store.page.messages[`choice.${path}.${word}`] ?? word;
  const chosen = words.map((value) => ({ value, label: label(value) }));
  return selectField(store, path, [{ value: null, label: store.t("field.auto") }, ...chosen]);
}

/**
 * @param {Store} store
 * @param {"blocked" | "global_tokens" | "knockouts" | "position_ids" | "mask" | "context_mask" | "drop"} name
 * @param {{count: string, clear: string}} texts @returns {Field}
 */
function listField(store, name, texts) {
  const text = h("span");
  const press = () => setField(store, name, NONE[name] ?? null);
  const clear = h("button", { type: "button", class: "link", onclick: press }, store.t(texts.clear));
  const root = h("div", { class: "field", "data-field": name }, text, clear);
  return {
    root,
    update({ question }) {
      const given = question[name];
      const isList = Array.isArray(given);
      root.hidden = !isList || given.length === 0;
      if (isList) text.textContent = store.t(texts.count, { n: (COUNTS[name] ?? sizeOf)(given) });
    },
  };
}

/** @param {any[]} mask */
const closedIn = (mask) => mask.flat(Infinity).filter((cell) => !cell).length;

/** @param {any[]} list */
const sizeOf = (list) => list.length;

/** Values that clear fields; null clears others. @type {Record<string, any>} */
const NONE = { blocked: [], drop: [], global_tokens: 0 };

/** @type {Record<string, (given: any[]) => number>} */
const COUNTS = {
  position_ids: (ids) => ids.flat().length,
  mask: closedIn,
  context_mask: closedIn,
  /** @param {{rows: number[], cols: number[]}[]} knockouts */
  knockouts: (knockouts) => knockouts.reduce((n, { rows, cols }) => n + rows.length * cols.length, 0),
};

/** @param {Store} store @returns {Field} */
function precisionField(store) {
  const select = makeSelect((n) => setView(store, { precision: Number(n) }));
  setOptions(select, PRECISIONS, null);
  const root = h("label", { class: "field" }, h("span", {}, store.t("field.precision")), select);
  return { root, update: ({ view }) => void (select.value = String(view.precision)) };
}

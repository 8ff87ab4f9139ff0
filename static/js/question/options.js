/** The options: where the weights come from, the mask, the scale, the temperature, and the rest. */

import { ask, chooseSource } from "../core/actions.js";
import { settled } from "../core/state.js";
import { fill, h } from "../lib/dom.js";
import { fetched } from "../lib/load.js";
import { choice, offer } from "../lib/select.js";
import { numberAtPower, numberField, selectField, slides, valueAt, wordField } from "./fields.js";
import { moreMenu, tellChanged } from "./more-options.js";

/** @typedef {import("../core/state.js").State} State */
/** @typedef {import("../core/state.js").Store} Store */
/** @typedef {import("./fields.js").Field} Field */

const narrow = matchMedia("(max-width: 699px)"); // a phone: one line says what is set, and opens

/** @type {import("../core/state.js").ViewOf} */
export function options(root, store) {
  const { t } = store;
  const source = choice((name) => chooseSource(store, name));
  offer(source, Object.keys(store.page.models), null, (name) => t(`source.${name}`));
  const weights = h("label", { class: "field", title: t("hint.source") }, h("span", {}, t("field.source")), source);
  const own = h("div", { class: "fields" });
  const shared = [keysField(store), maskField(store), scaleField(store), temperatureField(store)];
  const more = moreMenu(store);
  const told = h("summary");
  const second = h(
    "div",
    { class: "fields" },
    shared.map((field) => field.root),
    more.root,
  );
  const set = h("div", { class: "set" }, h("div", { class: "fields" }, weights, own), second);
  const fold = h("details", { class: "fold" }, told, set);
  const tell = () => void (told.textContent = narrow.matches ? wordsOf(store).join(" · ") : "");
  const unfold = () => {
    fold.open = !narrow.matches;
    tell();
  };
  narrow.addEventListener("change", unfold);
  unfold();
  root.append(fold);
  /** @type {Field[]} */
  let fields = [];
  return {
    update(state, previous) {
      if (same(state, previous)) return;
      const name = state.question.model.source;
      if (name !== previous?.question?.model.source) {
        fields = ownFields(store, name);
        fill(
          own,
          fields.map((field) => field.root),
        );
        source.value = name;
      }
      for (const field of [...fields, ...shared, more]) field.update(state);
      tell();
    },
    destroy() {
      narrow.removeEventListener("change", unfold);
      root.replaceChildren();
    },
  };
}

/**
 * What is set, as the line over the folded options says it.
 * @param {Store} store
 */
function wordsOf(store) {
  const { t, page } = store;
  const state = store.get();
  const { model, context, scale, temperature } = state.question;
  const { name, num_heads: n } = model;
  return [
    t(`source.${model.source}`),
    name && (page.messages[`choice.name.${name}`] ?? name),
    model.id && state.upload?.id === model.id && state.upload?.name,
    n && t(n === 1 ? "fold.head" : "fold.heads", { n }),
    context !== null && t("fold.context"),
    t(valueAt(state, "causal") === false ? "fold.unmasked" : "choice.causal.causal"),
    scale === "none" ? t("fold.unscaled") : scale === "sqrt_d_k" ? t("choice.scale.sqrt_d_k") : `× ${scale}`,
    t("fold.temperature", { temperature }),
    tellChanged(store, state),
  ].filter(Boolean);
}

/** @param {State} state @param {State} [previous] */
function same(state, previous) {
  return (
    previous !== undefined &&
    state.question === previous.question &&
    state.view === previous.view &&
    settled(state) === settled(previous) &&
    state.problem === previous.problem &&
    state.upload === previous.upload &&
    state.uploadProblem === previous.uploadProblem &&
    state.uploading === previous.uploading &&
    state.files === previous.files
  );
}

/**
 * The fields of one source that are always in sight.
 * @param {Store} store
 * @param {string} source
 * @returns {Field[]}
 */
function ownFields(store, source) {
  const { limits, choices } = store.page;
  if (source === "crafted") return [wordField(store, "model.name", choices.crafted)];
  if (source === "uploaded") return [later(store, async () => (await import("./upload.js")).uploadField)];
  const heads = numberField(store, "model.num_heads", { min: 1, max: limits.max_heads });
  if (source === "explicit") return [heads, later(store, async () => (await import("./matrices.js")).matricesButton)];
  const width = numberField(store, "model.d_model", { min: 1, max: limits.max_d_model });
  return [heads, width, numberField(store, "model.seed", { min: 0, max: limits.max_seed })];
}

/**
 * A field whose script is fetched with the first model that needs it.
 * @param {Store} store
 * @param {() => Promise<(store: Store) => Field>} script
 * @returns {Field}
 */
function later(store, script) {
  const root = h("span");
  /** @type {Field | null} */
  let field = null;

  async function load() {
    field = (await fetched(script))(store);
    root.replaceWith(field.root);
    field.update(store.get());
  }

  load();
  return { root, update: (state) => field?.update(state) };
}

/**
 * Whose tokens the keys are: the sentence's, or those of a context, whose box opens.
 * @param {Store} store
 */
function keysField(store) {
  const label = (/** @type {string} */ word) => store.t(`choice.context.${word}`);
  const field = selectField(store, "context", [
    { value: null, label: label("own") },
    { value: "", label: label("other") },
  ]);
  const select = /** @type {HTMLSelectElement} */ (field.root.querySelector("select"));
  const { update } = field;
  field.update = (state) => {
    update(state);
    select.value = state.question.context === null ? "0" : "1";
  };
  return field;
}

/** @param {Store} store */
function maskField(store) {
  const label = (/** @type {string} */ word) => store.t(`choice.causal.${word}`);
  return selectField(store, "causal", [
    { value: null, also: true, label: label("causal") },
    { value: false, label: label("none") },
  ]);
}

/**
 * 1/√d_k, none, or a number of one's own.
 * @param {Store} store
 * @returns {Field}
 */
function scaleField(store) {
  const words = ["sqrt_d_k", "none", "number"];
  const own = numberField(store, "scale", { min: -1e6, max: 1e6, step: "any" });
  const choose = (/** @type {string} */ word) => ask(store, "scale", word === "number" ? 1 : word);
  const select = choice(choose, { "aria-label": store.t("field.scale") });
  offer(select, words, null, (word) => store.t(`choice.scale.${word}`));
  putBefore(own, select, store.t("field.scale"));
  return {
    root: own.root,
    update(state) {
      const { scale } = state.question;
      const number = typeof scale === "number";
      select.value = number ? "number" : scale;
      own.root.classList.toggle("numeric", number);
      own.update(state);
    },
  };
}

/**
 * Puts a second control before a field's input. A label names its first control alone, so the
 * input gets a name of its own.
 * @param {Field} field
 * @param {HTMLElement} control
 * @param {string} name
 */
function putBefore({ root }, control, name) {
  const input = root.querySelector("input");
  input?.setAttribute("aria-label", name);
  input?.before(control);
}

/**
 * A slider from 0.1 to 10, even in the logarithm, beside the number itself.
 * @param {Store} store
 * @returns {Field}
 */
function temperatureField(store) {
  const field = numberField(store, "temperature", { min: 0.001, max: 1000, step: "any" });
  const slider = h("input", {
    type: "range",
    min: -1,
    max: 1,
    step: 0.02,
    "aria-label": store.t("field.temperature_slider"),
  });
  const put = slides(store, slider, "temperature", numberAtPower);
  putBefore(field, slider, store.t("field.temperature"));
  return {
    root: field.root,
    update(state) {
      put(state, Math.log10(state.question.temperature));
      field.update(state);
    },
  };
}

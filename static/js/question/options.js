import { setField } from "../core/question-changes.js";
import { chooseSource, kindOf } from "../core/choose-source.js";
import { installedOf, isCausal } from "../core/page.js";
import { seesAll } from "../core/question.js";
import { sourceWords } from "../core/source-words.js";
import { asksHeadCount, mayPrefetch } from "../core/state.js";
import { fill, h } from "../lib/dom.js";
import { lazyLoad } from "../lib/load.js";
import { makeSelect, setOptions } from "../lib/select.js";
import { expectFields } from "./drawer.js";
import { numberAtPower, numberField, selectField, bindSlider, wordField } from "./fields.js";
import { moreMenu } from "./more-options.js";

export { turn } from "../lib/time-slices.js";

/** @typedef {import("./fields.js").Field} Field */

const SEEN = /** @type {const} */ (["question", "view", "problem", "upload", "uploadProblem", "uploading", "files"]);

/** @type {ViewOf} */
export function fields(root, store) {
  const { t } = store;
  const source = makeSelect((name) => chooseSource(store, name));
  setOptions(source, kindsOf(store), null, (kind) => sourceLabel(store, kind));
  const weights = h("label", { class: "field", title: t("hint.source") }, h("span", {}, t("field.source")), source);
  const own = h("div", { class: "fields" });
  const shared = [keysField(store), maskField(store), scaleField(store), temperatureField(store)];
  const more = moreMenu(store);
  const roots = shared.map((field) => field.root);
  const second = h("div", { class: "fields" }, roots, more.root);
  const set = h("div", { class: "set" }, h("div", { class: "fields" }, weights, own), second);
  root.append(set);
  /** @type {Field[]} */
  let chosen = [];
  return {
    update(state, previous) {
      if (same(state, previous)) return;
      const kind = kindOf(state.question.model);
      if (!previous || kind !== kindOf(previous.question.model)) {
        chosen = ownFields(store, state);
        fill(own, ...chosen.map((field) => field.root));
        source.value = kind;
      }
      for (const field of [...chosen, ...shared, more]) field.update(state);
    },
    destroy: () => root.replaceChildren(),
  };
}

/** @param {Store} store */
function kindsOf({ page }) {
  const sources = Object.keys(page.models).filter((source) => source !== "installed");
  return [...page.installed.map(({ name }) => kindOf({ source: "installed", name })), ...sources];
}

/** @param {Store} store @param {string} kind */
function sourceLabel(store, kind) {
  const [source, name] = kind.split(":");
  return sourceWords(store, { source, name });
}

/**
 * Whether to open the drawer: files are newly needed, sent or refused.
 * @param {State} state @param {State} [previous]
 */
export function asksForFiles(state, previous) {
  const { status, uploading, uploadProblem } = state;
  if (status === "no_upload" && status !== previous?.status) return true;
  const sent = uploading !== previous?.uploading || uploadProblem !== previous.uploadProblem;
  return (
    sent && state.question.model.source === "uploaded" && (uploading || asksHeadCount(state) || uploadProblem !== null)
  );
}

/** @param {HTMLElement} drawer @param {State} state @param {State} [previous] */
export const hasNewRefusal = (drawer, { problem }, previous) =>
  problem !== previous?.problem && drawer.querySelector("[aria-invalid]:not(.more *)") !== null;

/** @param {State} state @param {State} [previous] */
const same = (state, previous) =>
  previous !== undefined &&
  mayPrefetch(state) === mayPrefetch(previous) &&
  SEEN.every((name) => state[name] === previous[name]);

/** @param {Store} store @param {State} state */
function ownFields(store, { question }) {
  const { limits, choices } = store.page;
  const { source } = question.model;
  if (source === "installed") return revisionFields(store, installedOf(store.page, question)?.revisions ?? []);
  if (source === "trained") return [lazyField(store, async () => (await import("./trained-fields.js")).trainedFields)];
  if (source === "crafted") return [wordField(store, "model.name", choices.crafted)];
  if (source === "uploaded") return [lazyField(store, async () => (await import("./upload.js")).uploadField)];
  const heads = numberField(store, "model.num_heads", { min: 1, max: limits.max_heads });
  if (source === "explicit")
    return [heads, lazyField(store, async () => (await import("./matrices.js")).matricesButton)];
  const width = numberField(store, "model.d_model", { min: 1, max: limits.max_d_model });
  return [heads, width, numberField(store, "model.seed", { min: 0, max: limits.max_seed })];
}

/** @param {Store} store @param {string[]} revisions */
function revisionFields(store, revisions) {
  if (revisions.length < 2) return [];
  const last = revisions.length - 1;
  const options = revisions.map((name, at) => ({
    value: at === last ? null : name,
    also: name,
    label: store.t(at === last ? "choice.revision.last" : "choice.revision.step", { step: name.replace(/\D+/g, "") }),
  }));
  return [selectField(store, "model.revision", options)];
}

/** @param {Store} store @param {() => Promise<(store: Store) => Field>} script @returns {Field} */
function lazyField(store, script) {
  const root = h("span");
  /** @type {Field | null} */
  let field = null;

  async function load() {
    field = (await lazyLoad(script))(store);
    root.replaceWith(field.root);
    field.update(store.get());
  }

  expectFields(load());
  return { root, update: (state) => field?.update(state) };
}

/** @param {Store} store */
function keysField(store) {
  const label = (/** @type {string} */ word) => store.t(`choice.context.${word}`);
  const options = [
    { value: null, label: label("own") },
    { value: "", label: label("other") },
  ];
  return selectField(store, "context", options, ({ question }) => Number(question.context !== null));
}

/** @param {Store} store */
function maskField(store) {
  const label = (/** @type {string} */ word) => store.t(`choice.causal.${word}`);
  const ofModel = () => isCausal(store.page, { ...store.get().question, causal: null });
  const options = [
    { value: () => (ofModel() ? null : true), label: label("causal") },
    { value: () => (ofModel() ? false : null), label: label("none") },
  ];
  return selectField(store, "causal", options, ({ question }) => Number(seesAll(store.page, question)));
}

/** @param {Store} store @returns {Field} */
function scaleField(store) {
  const words = ["sqrt_d_k", "none", "number"];
  const own = numberField(store, "scale", { min: -1e6, max: 1e6, step: "any" });
  const choose = (/** @type {string} */ word) => setField(store, "scale", word === "number" ? 1 : word);
  const select = makeSelect(choose, { "aria-label": store.t("field.scale") });
  setOptions(select, words, null, (word) => store.t(`choice.scale.${word}`));
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
 * The label names the control, so the input gets an aria-label.
 * @param {Field} field @param {HTMLElement} control @param {string} name
 */
function putBefore({ root }, control, name) {
  const input = root.querySelector("input");
  input?.setAttribute("aria-label", name);
  input?.before(control);
}

/** @param {Store} store @returns {Field} */
function temperatureField(store) {
  const field = numberField(store, "temperature", { min: 0.001, max: 1000, step: "any" });
  const slider = h("input", {
    type: "range",
    min: -1,
    max: 1,
    step: 0.02,
    "aria-label": store.t("field.temperature_slider"),
  });
  const put = bindSlider(store, slider, "temperature", numberAtPower);
  putBefore(field, slider, store.t("field.temperature"));
  return {
    root: field.root,
    update(state) {
      put(state, Math.log10(state.question.temperature));
      field.update(state);
    },
  };
}

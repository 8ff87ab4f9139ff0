import { setField } from "../core/question-changes.js";
import { ONE_TEXT, isCross, hasMlp, isDecoder } from "../core/question.js";
import { h } from "../lib/dom.js";
import { makeSelect } from "../lib/select.js";
import { offerIndices } from "../lib/count-select.js";
import { keystrokes } from "./keystrokes.js";

/** @typedef {{root: HTMLElement, update: (state: State) => void}} Field */

let made = 0;

/** 10 ** `power` to three digits, finer than a slider's step. @param {number} power */
export const numberAtPower = (power) => Number((10 ** power).toPrecision(3));

/**
 * Consecutive moves of the slider make one history entry.
 * @param {Store} store @param {HTMLInputElement} slider @param {string} path @param {(place: number) => number} number
 * @returns {(state: State, place: number) => void} sets the slider
 */
export function bindSlider(store, slider, path, number) {
  /** @type {State["question"] | null} */
  let said = null;
  slider.addEventListener("focus", () => (said = null));
  slider.addEventListener("input", () => {
    setField(store, path, number(Number(slider.value)), { replace: said !== null });
    said = store.get().question;
  });
  return ({ question }, place) => {
    if (question !== said) said = null;
    slider.value = String(place);
  };
}

/** @param {State} state @param {string} path */
const isIdle = ({ question }, path) => path in ONE_TEXT && isCross(question);

/**
 * Message key for why the field has no effect, or null.
 * @param {Pick<State, "question">} state @param {string} path
 */
export function idleReason({ question }, path) {
  if (isIdle(/** @type {State} */ ({ question }), path)) return "context.idle";
  if (path === "model.norm" && !isDecoder(question)) return "field.norm.idle";
  return path === "model.activation" && !hasMlp(question) ? "field.activation.idle" : null;
}

/** @param {State} state @param {string} path */
function valueAt({ question }, path) {
  const [field, inner] = path.split(".");
  if (isIdle(/** @type {State} */ ({ question }), path)) return ONE_TEXT[/** @type {keyof ONE_TEXT} */ (path)];
  const value = /** @type {Record<string, any>} */ (question)[field];
  return inner ? value[inner] : value;
}

/**
 * @param {Store} store @param {string} path @param {HTMLElement} control
 * @param {(state: State) => void} show
 * @returns {Field & {complain: (message: string) => void}}
 */
function labelled(store, path, control, show) {
  const name = path.split(".").at(-1) ?? path;
  const id = `field-${made++}`;
  const error = h("span", { class: "error", role: "alert", id: `${id}-error` });
  const hint = store.page.messages[`hint.${name}`];
  control.id = id;
  control.setAttribute("aria-describedby", error.id);
  const label = h("label", { for: id }, h("span", {}, store.t(`field.${name}`)), control);
  const root = h("div", { class: "field", "data-field": path, title: hint }, label, error);
  let own = "";
  const complain = (/** @type {string} */ message) => {
    own = message;
    mark(message);
  };
  const mark = (/** @type {string} */ message) => {
    error.textContent = message;
    if (message) control.setAttribute("aria-invalid", "true");
    else control.removeAttribute("aria-invalid");
  };
  return {
    root,
    complain,
    update(state) {
      const why = idleReason(state, path);
      /** @type {HTMLInputElement} */ (control).disabled = why !== null;
      root.classList.toggle("idle", why !== null);
      root.title = why ? store.t(why) : (hint ?? "");
      show(state);
      const refusal = state.problem?.errors.find(({ at }) => at === path);
      mark(own || (refusal?.message ?? ""));
    },
  };
}

/**
 * @param {Store} store @param {string} path
 * @param {{min: number, max: number, step?: number | "any", optional?: boolean, placeholder?: string}} limits
 */
export function numberField(store, path, { min, max, step = 1, optional = false, placeholder = "" }) {
  const input = h("input", { type: "number", min, max, step, placeholder, inputmode: "decimal" });
  const how = keystrokes(input);
  const field = labelled(store, path, input, (state) => {
    if (document.activeElement === input) return;
    const value = valueAt(state, path);
    input.value = typeof value === "number" ? String(value) : "";
    field.complain("");
  });
  input.addEventListener("input", () => {
    const blank = input.value === "" && !input.validity.badInput;
    const good = blank ? optional : input.validity.valid;
    field.complain(good ? "" : store.t("field.between", { min, max }));
    if (good) setField(store, path, blank ? null : Number(input.value), how());
  });
  return field;
}

/**
 * @param {Store} store @param {string} path
 * @param {{value: any, also?: any, label: string}[]} options `value` may be a function; `also`: alias of `value`
 * @param {(state: State) => number} [at]
 */
export function selectField(store, path, options, at = (state) => indexIn(options, valueAt(state, path))) {
  const chosen = (/** @type {string} */ index) => options[Number(index)].value;
  const select = makeSelect((index) =>
    setField(store, path, typeof chosen(index) === "function" ? chosen(index)() : chosen(index)),
  );
  offerIndices(select, options.length, 0, (index) => options[index].label);
  return labelled(store, path, select, (state) => (select.value = String(at(state))));
}

/** @param {{value: any, also?: any}[]} options @param {unknown} asked */
const indexIn = (options, asked) => options.findIndex(({ value, also }) => [value, also].includes(asked));

/**
 * @param {Store} store @param {string} path @param {string[]} words
 */
export function wordField(store, path, words) {
  const name = path.split(".").at(-1);
  const label = (/** @type {string} */ word) => store.page.messages[`choice.${name}.${word}`] ?? word;
  return selectField(
    store,
    path,
    words.map((value) => ({ value, label: label(value) })),
  );
}

/** @param {Store} store @param {string} path */
export function flagField(store, path) {
  const input = h("input", { type: "checkbox", onchange: () => setField(store, path, input.checked) });
  const field = labelled(store, path, input, (state) => (input.checked = Boolean(valueAt(state, path))));
  field.root.classList.add("flag");
  return field;
}

/** Buttons that repair a refused question. */

import { setQuestion } from "../core/question-changes.js";
import { defaultModel, asQuestion } from "../core/question.js";
import { find, h, isVisible } from "../lib/dom.js";

const WORDS = ["text", "tokens", "x"]; // fields of the sentence box

/** No buttons if waiting or signing in helps. @param {Store} store */
export function repairs(store) {
  const { t } = store;
  const { status, problem, question } = store.get();
  const button = (/** @type {string} */ key, /** @type {() => void} */ onclick) =>
    h("button", { type: "button", class: "button", onclick }, t(key));
  const goOn = (/** @type {Question} */ next) => () => {
    find("#main").focus({ preventScroll: true }); // the focused button disappears
    setQuestion(store, next);
  };
  if (status === "no_upload" || (problem?.code === "unknown_model" && question.model.source === "uploaded"))
    return row(
      button("upload.choose", () => find('#options input[type="file"]').click()),
      button("refused.seeded", goOn({ ...question, model: defaultModel(store.page, "seeded") })),
    );
  if (!problem || problem.code === "offline" || [401, 429].includes(problem.status) || problem.status >= 500)
    return row();
  const wrong = problem.errors.flatMap(({ at }) => at ?? []);
  const better = wrong.reduce((now, at) => withDefault(store, now, at), question);
  const field = unseenField(wrong);
  return row(
    field && button("refused.setting", () => revealField(field)),
    JSON.stringify(better) === JSON.stringify(question)
      ? button("refused.again", goOn(asQuestion(store.page, {})))
      : button("refused.default", goOn(better)),
  );
}

/** @param {...(Node | undefined)} ways */
const row = (...ways) => h("span", { class: "ways-on" }, ways);

/**
 * @param {Store} store @param {Question} question @param {string} at path such as `model.seed` or `tokens.0.1`
 */
function withDefault({ page }, question, at) {
  const [field, inner] = at.split(".");
  const defaults = /** @type {Record<string, any>} */ (asQuestion(page, {}));
  if (WORDS.includes(field)) return { ...question, text: defaults.text, tokens: null, x: null };
  if (field !== "model") return field in defaults ? { ...question, [field]: defaults[field] } : question;
  const model = defaultModel(page, question.model.source);
  if (!(inner in model)) return { ...question, model: defaults.model };
  return { ...question, model: { ...question.model, [inner]: model[inner] } };
}

/** @param {string[]} wrong */
function unseenField(wrong) {
  const fields = /** @type {HTMLElement[]} */ ([...document.querySelectorAll("#options [data-field]")]);
  return fields.find((field) => wrong.includes(field.dataset.field ?? "") && !isVisible(field));
}

/** @param {HTMLElement} field */
export function revealField(field) {
  for (let fold = field.closest("details"); fold; fold = fold.parentElement?.closest("details") ?? null)
    fold.open = true;
  const drawer = field.closest(".drawer:not(.open)");
  if (drawer) find(`[aria-controls="${drawer.id}"]`).click();
  /** @type {HTMLElement | null} */ (field.querySelector("input, select"))?.focus();
}

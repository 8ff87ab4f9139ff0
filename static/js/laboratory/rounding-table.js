import { setView } from "../core/actions.js";
import { setField } from "../core/question-changes.js";
import { answerKey, fetchPart, keyedRequest } from "../core/traces.js";
import { refusal } from "../core/refusal-words.js";
import { fill, h } from "../lib/dom.js";
import { makeSelect, setOptions } from "../lib/select.js";
import { nameOf } from "../matrix/names.js";
import { errorTable, errorText, breakingScale, isBroken, softmaxTable } from "./precision-tables.js";
import { selectedRow } from "./scaling-measures.js";

/** @typedef {import("./precision-tables.js").Precision} Precision */

/** @type {ViewOf} */
export const rounding = (root, store) => new Rounding(root, store);

class Rounding {
  /** @type {Precision | null} */
  found = null;
  /** @type {Question["scale"] | null} scale before the button broke the softmax */
  before = null;

  /** @param {HTMLElement} root @param {Store} store */
  constructor(root, store) {
    const { t } = store;
    this.root = root;
    this.store = store;
    this.trouble = h("p", { class: "error", role: "status" });
    this.errors = h("div", { class: "sheet", tabindex: "0" });
    this.both = h("div", { class: "sheet", tabindex: "0" });
    this.title = h("h3");
    this.verdict = h("p", { class: "effect", role: "status" });
    this.dtype = makeSelect((name) => setView(store, { rounding: /** @type {any} */ (name) }));
    setOptions(this.dtype, store.page.choices.dtype, null);
    this.press = h("button", { class: "button", onclick: () => this.turn() }, t("lab.break"));
    root.classList.add("beside", "rounding");
    root.append(this.trouble, this.softmaxes(), this.stages());
    this.want = keyedRequest(
      (/** @type {Precision} */ found) => this.take(found),
      (problem) => this.refuse(refusal(store, problem)),
      this.title,
      this.both,
      this.verdict,
      this.errors,
    );
  }

  softmaxes() {
    const dtype = h("label", { class: "field" }, h("span", {}, this.store.t("field.dtype")), this.dtype);
    return h(
      "section",
      { class: "card softmaxes" },
      h("header", {}, this.title),
      h("div", { class: "choices" }, dtype, this.press),
      this.both,
      this.verdict,
    );
  }

  stages() {
    const { t } = this.store;
    const title = h("header", {}, h("h3", {}, t("lab.errors")));
    return h("section", { class: "card" }, title, h("p", { class: "muted" }, t("lab.errors_about")), this.errors);
  }

  /** @param {State} state */
  update(state) {
    const { answer, attempt, view } = state;
    if (!answer) return;
    const { layer, head, batch } = view;
    const place = { layer, head, batch, row: selectedRow(this.store.page, state) };
    const key = JSON.stringify([attempt, answer.reply.trace, place]);
    this.want(key, () => fetchPart(state, "precision", place), answerKey(state));
    this.show(state);
  }

  destroy() {
    this.root.replaceChildren();
  }

  /** @param {Precision} found */
  take(found) {
    this.found = found;
    fill(this.trouble);
    this.show(this.store.get());
  }

  /** @param {Child[]} why */
  refuse(why) {
    this.found = null;
    for (const part of [this.title, this.both, this.verdict, this.errors]) fill(part);
    fill(this.trouble, why);
  }

  turn() {
    const { store } = this;
    const state = store.get();
    const back = isBroken(this.found);
    if (!back) this.before = state.question.scale;
    setField(store, "scale", back ? (this.before ?? "sqrt_d_k") : breakingScale(store.page, state));
    if (back) this.before = null;
  }

  /** @param {State} state */
  show(state) {
    const { found, store } = this;
    if (!found) return;
    const name = state.view.rounding ?? state.answer?.reply.dtype;
    const chosen = found.dtypes.find((each) => each.dtype === name) ?? found.dtypes[0];
    const { dtype, softmax } = chosen;
    this.dtype.value = dtype;
    this.press.textContent = store.t(isBroken(found) ? "lab.back" : "lab.break");
    this.title.textContent = store.t("lab.softmax", { query: nameOf(state, "query", found.row), dtype });
    fill(this.errors, errorTable(store, found, dtype));
    fill(this.both, softmaxTable(store, state, found.row, softmax));
    this.verdict.textContent = verdictOf(store, softmax);
  }
}

/** @param {Store} store @param {import("./precision-tables.js").Rounded["softmax"]} softmax */
function verdictOf({ t }, { naive, stable }) {
  const fine = naive.nan_rows === 0 && naive.overflowed === 0;
  return t(fine ? "lab.fine" : "lab.broken", {
    overflowed: naive.overflowed,
    rows: naive.nan_rows,
    error: errorText(stable.largest_error),
    naive: errorText(naive.largest_error),
  });
}

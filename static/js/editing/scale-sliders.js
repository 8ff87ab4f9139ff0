import { setField } from "../core/question-changes.js";
import { stageOf } from "../core/page.js";
import { pictureOf } from "../core/picture.js";
import { hasSameNumbers, selection } from "../core/state.js";
import { fill, h } from "../lib/dom.js";
import { format } from "../lib/numbers.js";
import { isClosed } from "../lib/paint.js";
import { numberAtPower, bindSlider } from "../question/fields.js";

/** @typedef {{root: HTMLElement, update: (state: State) => void}} Knob */

const WIDEST = 10; // log₂ of the largest d_k
const SCALES = { min: -3, max: 1, step: 0.02 }; // powers of ten

/** @type {import("./apply-edit.js").BenchView} */
export function scaling(root, { store }) {
  const { t } = store;
  const knobs = [widthKnob(store), divideKnob(store), scaleKnob(store)];
  const figures = h("dl", { class: "figures" });
  const choices = knobs.map((knob) => knob.root);
  fill(root, h("p", { class: "muted" }, t("change.scaling_about")), h("div", { class: "choices" }, choices), figures);

  /** @param {State} state */
  function measure(state) {
    const rows = measures(store, state).map(([name, value]) =>
      h("div", {}, h("dt", {}, t(`change.figure.${name}`)), h("dd", {}, format(value, state.view.precision))),
    );
    fill(figures, rows);
  }

  return {
    update(state, previous) {
      for (const knob of knobs) knob.update(state);
      if (!hasSameNumbers(state, previous) || state.view.precision !== previous?.view.precision) measure(state);
    },
    destroy: () => fill(root),
  };
}

/** @param {Store} store @param {string} name @param {{min: number, max: number, step: number}} range */
function slider(store, name, range) {
  const input = h("input", { type: "range", ...range });
  const output = h("output", { translate: "no" });
  const root = h("label", { class: "field" }, h("span", {}, store.t(`change.${name}`)), input, output);
  return { root, input, output };
}

/** Only models with seeded weights can change d_k. @param {Store} store @returns {Knob} */
function widthKnob(store) {
  const { root, input, output } = slider(store, "d_k", { min: 0, max: WIDEST, step: 1 });
  const put = bindSlider(store, input, "model.d_k", (power) => 2 ** power);
  return {
    root,
    update(state) {
      const { question, answer } = state;
      const d_k = question.model.d_k ?? answer?.reply.shape.d_k ?? 1;
      input.disabled = question.model.source !== "seeded";
      root.title = input.disabled ? store.t("change.d_k_given") : "";
      put(state, Math.log2(d_k));
      input.setAttribute("aria-valuetext", String(d_k));
      output.textContent = String(d_k);
    },
  };
}

/** @param {Store} store @returns {Knob} */
function divideKnob(store) {
  const onchange = () => setField(store, "scale", input.checked ? "sqrt_d_k" : "none");
  const input = h("input", { type: "checkbox", onchange });
  return {
    root: h("label", { class: "flag" }, input, store.t("change.divide")),
    update: ({ question }) => void (input.checked = question.scale === "sqrt_d_k"),
  };
}

/** @param {Store} store @returns {Knob} */
function scaleKnob(store) {
  const { root, input, output } = slider(store, "scale", SCALES);
  const put = bindSlider(store, input, "scale", numberAtPower);
  return {
    root,
    update(state) {
      const { question, answer } = state;
      // The answer may be outdated: prefer the question's scale.
      const scale = typeof question.scale === "number" ? question.scale : (answer?.reply.scale ?? 1);
      put(state, Math.log10(Math.abs(scale) || 10 ** SCALES.min));
      input.setAttribute("aria-valuetext", format(scale, 3));
      output.textContent = format(scale, 3);
    },
  };
}

/** @param {Store} store @param {State} state @returns {[string, number][]} */
function measures(store, state) {
  const picture = (/** @type {string} */ name) =>
    state.answer && pictureOf(store.page, state.answer, stageOf(store.page, name), selection(state));
  const [scores, scaled, weights] = ["scores", "scaled_scores", "weights"].map(picture);
  if (!scores || !scaled || !weights || weights.coarse) return [];
  const spread = [scores, scaled].map((each) => variance(openCells(each, weights).flat()));
  const rows = openCells(weights, weights).filter((row) => row.length);
  const entropies = rows.map((row) => row.reduce((sum, w) => sum - (w > 0 ? w * Math.log(w) : 0), 0));
  const largest = rows.map((row) => Math.max(...row));
  return [
    ["variance", spread[0]],
    ["scaled_variance", spread[1]],
    ["entropy", mean(entropies)],
    ["largest", mean(largest)],
  ];
}

/** @param {Picture} picture @param {Picture} open picture whose open cells count */
function openCells({ values, rows, cols }, open) {
  return Array.from({ length: rows }, (_, row) =>
    Array.from({ length: cols }, (_, col) => col)
      .filter((col) => !isClosed(open, row, col))
      .map((col) => values[row * cols + col]),
  );
}

/** @param {number[]} values */
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / (values.length || 1);

/** @param {number[]} values */
function variance(values) {
  const middle = mean(values);
  return mean(values.map((value) => (value - middle) ** 2));
}

import { bodyOf, asQuestion } from "../core/question.js";
import { h } from "../lib/dom.js";
import { format, short } from "../lib/numbers.js";
import { labelOf } from "../matrix/names.js";

/** @param {Store} store @param {Reply} reply @param {boolean} quantised */
export function checks({ t }, { trace, checks: found, dtype, elapsed_ms, lengths, shape }, quantised) {
  const time = { name: "checks.time", value: t("checks.elapsed", { ms: elapsed_ms.toFixed(1), dtype }), good: true };
  const pictures = quantised && h("p", { class: "muted" }, t("legend.quantised_about"));
  if (found.max_row_sum_error === null)
    return section(t, trace, [time], [h("p", { class: "muted" }, t("checks.looked_at")), pictures]); // numbers of a long text never load completely
  const tight = dtype === "float64" ? 1e-9 : 1e-3;
  const { max_capture_error: among } = found;
  const captured = among !== undefined;
  const reference = captured ? among : found.max_reference_error;
  const n = found.fully_masked_rows ?? 0;
  const padding = lengths.reduce((sum, length) => sum + shape.n - length, 0);
  const padded = Math.min(n, padding);
  const rows = [
    { name: "checks.rows", value: format(found.max_row_sum_error, 2), good: found.max_row_sum_error < tight },
    {
      name: captured ? "checks.capture" : "checks.reference",
      value: reference === null ? t(captured ? "checks.one_given" : "checks.too_large") : format(reference, 2),
      good: reference === null || reference < tight,
    },
    { name: "checks.masked", value: padded ? t("checks.padded", { n, padded }) : String(n), good: true },
    { name: "checks.non_finite", value: String(found.non_finite), good: found.non_finite === 0 },
    time,
  ];
  return section(t, trace, rows, [pictures]);
}

/**
 * @param {Store["t"]} t @param {string} trace @param {{name: string, value: string, good: boolean}[]} rows
 * @param {Child[]} about
 */
function section(t, trace, rows, about) {
  const found = rows.map(({ name, value, good }) =>
    h("div", { class: good ? "good" : "bad" }, h("dt", {}, t(name)), h("dd", { translate: "no" }, value)),
  );
  const title = h("h2", {}, t("checks.title"));
  return h("section", { class: "checks", "data-trace": trace }, title, about, h("dl", {}, found));
}

/** @param {Store} store @param {State} state */
export function figures(store, state) {
  const asked = JSON.stringify(bodyOf(state.question));
  const example = state.examples.find(
    ({ question }) => JSON.stringify(bodyOf(asQuestion(store.page, question))) === asked,
  );
  if (!example || example.figures.length === 0) return null;
  const published = example.figures.map((figure) => figureOf(store, figure));
  return h(
    "section",
    { class: "figures" },
    h("h2", {}, example.title),
    h("p", { class: "muted" }, example.about),
    h("ul", {}, published),
  );
}

/** @param {Store} store @param {PublishedFigure} figure */
function figureOf(store, figure) {
  const { t } = store;
  const at = Object.entries(figure.at)
    .map(([axis, index]) => `${axis} ${index}`)
    .join(", ");
  const verdict = t(figure.agrees ? "figures.agrees" : "figures.differs");
  return h(
    "li",
    { class: figure.agrees ? "agrees" : "differs" },
    h("h3", {}, labelOf(store, figure.stage), " ", h("span", { class: "muted" }, at), h("b", {}, verdict)),
    h(
      "dl",
      {},
      h("dt", {}, t("figures.published")),
      h("dd", {}, numbers(figure.published)),
      h("dt", {}, t("figures.computed")),
      h("dd", {}, numbers(figure.computed)),
    ),
    figure.why && h("p", {}, figure.why),
  );
}

/** @param {any} value @returns {string} */
function numbers(value) {
  if (value === null) return "−∞";
  if (typeof value === "number") return short(value, 4);
  if (!Array.isArray(value)) return String(value);
  const nested = Array.isArray(value[0]);
  return value.map(numbers).join(nested ? "\n" : "  ");
}

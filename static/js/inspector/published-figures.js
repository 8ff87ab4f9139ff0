import { bodyOf, asQuestion } from "../core/question.js";
import { h } from "../lib/dom.js";
import { short } from "../lib/numbers.js";
import { labelOf } from "../matrix/names.js";

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

import { fill, h } from "../lib/dom.js";
import { formatFixed } from "../lib/fixed-decimals.js";
import { headName } from "../matrix/names.js";
import { barIn } from "./bar.js";
import { pieceName } from "./piece-name.js";
import { partsOf, scaleOf, waterfall } from "./waterfall.js";

/**
 * @param {HTMLElement} root @param {Store} store @param {State} state @param {Replies.Contributions} contributions
 * @param {HTMLElement} choice menu of tokens
 */
export function logitParts(root, { t }, { view }, contributions, choice) {
  const steps = waterfall(partsOf(contributions));
  const scale = scaleOf(steps);
  const lines = steps.map((step) => {
    const here = step.of === "head" && step.layer === view.layer && step.head === view.head;
    return line(t, partName(t, step), step, scale, here ? "own" : "");
  });
  const sum = line(t, t("worth.logit"), { from: 0, to: contributions.logit, value: contributions.logit }, scale, "sum");
  const titles = ["of_part", "of_bar", "of_value"].map((name) => h("th", { scope: "col" }, t(`worth.${name}`)));
  const table = h("table", { class: "facts" }, h("thead", {}, h("tr", {}, titles)), h("tbody", {}, lines, sum));
  const title = h("h3", {}, t("worth.parts", { token: pieceName(t, contributions.token) }));
  const of = h("label", { class: "field" }, h("span", {}, t("worth.piece")), choice);
  const about = h("p", { class: "muted" }, t("worth.parts_about"));
  const scroll = h("div", { class: "long", tabindex: "0", role: "group", "aria-label": t("worth.sum") }, table);
  fill(root, title, about, of, scroll);
}

/** @param {Store["t"]} t @param {import("./waterfall.js").Step} step */
function partName(t, { of, layer = 0, head = 0 }) {
  if (of === "head") return headName({ layer, head });
  return of === "mlp" ? t("worth.mlp", { layer }) : t(`worth.${of}`);
}

/**
 * @param {Store["t"]} t @param {string} name @param {{from: number, to: number, value: number}} stretch
 * @param {ReturnType<typeof scaleOf>} scale @param {string} how
 */
function line(t, name, stretch, scale, how) {
  const sign = stretch.value > 0 && how !== "sum" ? "+" : "";
  const number = `${how === "sum" ? "= " : sign}${formatFixed(stretch.value, 2)}`;
  return h(
    "tr",
    { class: how },
    h("th", { scope: "row" }, name),
    h("td", { class: "drawn" }, barIn(scale, stretch)),
    h("td", { class: "number", translate: "no" }, number),
  );
}

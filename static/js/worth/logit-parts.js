import { h, fill } from "../lib/dom.js";
import { formatFixed } from "../lib/fixed-decimals.js";
import { headName } from "../matrix/names.js";
import { pieceName } from "./pieces.js";

/** @typedef {{of: "embedding" | "head" | "mlp" | "bias", layer?: number, head?: number, value: number}} Part */
/** @typedef {Part & {from: number, to: number}} Step */

/** Contributions in the order of the residual stream. @param {Replies.Contributions} contributions @returns {Part[]} */
export function partsOf({ embedding, heads, mlps, bias }) {
  const layers = heads.flatMap((own, layer) => [
    ...own.map((value, head) => /** @type {Part} */ ({ of: "head", layer, head, value })),
    ...(layer in mlps ? [/** @type {Part} */ ({ of: "mlp", layer, value: mlps[layer] })] : []),
  ]);
  return [
    { of: "embedding", value: embedding },
    ...layers,
    ...(bias ? [/** @type {Part} */ ({ of: "bias", value: bias })] : []),
  ];
}

/** @param {Part[]} parts */
export function waterfall(parts) {
  let at = 0;
  return parts.map((part) => {
    const from = at;
    at += part.value;
    return { ...part, from, to: at };
  });
}

/** Scale in percent of a width that includes zero. @param {{from: number, to: number}[]} stretches */
export function scaleOf(stretches) {
  const ends = stretches.flatMap(({ from, to }) => [from, to]);
  const low = Math.min(0, ...ends);
  const width = Math.max(0, ...ends) - low || 1;
  const place = (/** @type {number} */ value) => (100 * (value - low)) / width;
  return {
    zero: place(0),
    /** @param {{from: number, to: number}} stretch */
    bar: ({ from, to }) => ({ left: place(Math.min(from, to)), width: (100 * Math.abs(to - from)) / width }),
  };
}

/** @param {ReturnType<typeof scaleOf>} scale @param {{from: number, to: number}} stretch */
export function barIn({ zero, bar }, stretch) {
  const { left, width } = bar(stretch);
  const own = h("i", { class: stretch.to < stretch.from ? "bar less" : "bar more" });
  const line = h("i", { class: "zero" });
  own.style.cssText = `left:${left}%;width:${width}%`;
  line.style.left = `${zero}%`;
  return h("span", { class: "track", "aria-hidden": "true" }, line, own);
}

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

/** @param {Store["t"]} t @param {Step} step */
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

import { h } from "../lib/dom.js";
import { formatFixed } from "../lib/fixed-decimals.js";
import { colorsOf } from "../matrix/colors.js";
import { headName, nameOf } from "../matrix/names.js";
import { mergeSmallParts, kindOf, strongest } from "./merge-parts.js";

const MOST = 7;
const MIDDLE = 127.5; // index of the middle of 256 colours

/** @param {Store} store @param {State} state @param {Replies.ScoreParts} parts */
export function partsTable({ page, t }, state, parts) {
  const { rows, cols, values } = mergeSmallParts(parts, MOST);
  const colors = colorsOf(page, state.theme, "signed");
  const most = Math.max(...values.flat().map(Math.abs)) || 1;
  const cell = (/** @type {number} */ value) => {
    const index = Math.round(MIDDLE + (MIDDLE * value) / most);
    const element = h("td", {}, formatFixed(value, Math.abs(value) >= 100 ? 0 : 1));
    element.style.cssText = `background:${colors.css(index)};color:${colors.ink(index)}`;
    return element;
  };
  const title = (/** @type {string} */ scope, /** @type {string} */ of) =>
    h("th", { scope, title: partName(t, of) }, shortOf(t, of));
  const keys = h("span", { class: "axis-key" }, `${t("axis.key")} →`);
  const queries = h("span", { class: "axis-query" }, `${t("axis.query")} ↓`);
  const corner = h("td", { class: "corner" }, keys, queries);
  const heads = cols.map((of) => title("col", of));
  const lines = values.map((row, at) => h("tr", {}, title("row", rows[at]), row.map(cell)));
  const [head, body] = [h("thead", {}, h("tr", {}, corner, heads)), h("tbody", {}, lines)];
  const table = h("table", { translate: "no", "aria-label": t("why.table") }, head, body);
  return h("div", { class: "frame", tabindex: "0" }, table);
}

/** @param {Store} store @param {State} state @param {Replies.ScoreParts} parts */
export function strongestWords({ t }, state, parts) {
  const { row, col } = /** @type {Cell} */ (state.view.cell);
  const { query, key, value } = strongest(parts);
  return t("why.strongest", {
    value: formatFixed(value, 1),
    score: formatFixed(parts.score, 1),
    query: nameOf(state, "query", row),
    query_part: partName(t, query),
    key: nameOf(state, "key", col),
    key_part: partName(t, key),
  });
}

/** @param {Store["t"]} t @param {string} of */
function shortOf(t, of) {
  const { kind, layer = 0, head = 0 } = kindOf(of);
  return kind === "head" ? headName({ layer, head }) : t(`why.short.${kind}`, { layer });
}

/** @param {Store["t"]} t @param {string} of */
function partName(t, of) {
  const { kind, layer = 0, head = 0 } = kindOf(of);
  return t(`why.part.${kind}`, { layer, head });
}

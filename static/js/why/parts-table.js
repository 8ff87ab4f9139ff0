import { h } from "../lib/dom.js";
import { formatFixed } from "../lib/fixed-decimals.js";
import { textColor } from "../lib/text-color.js";
import { colorsOf } from "../matrix/colors.js";
import { headName, nameOf } from "../matrix/names.js";

const REST = "rest";

/** @param {Replies.ScoreParts} parts @param {number} most limit for rows and for columns */
export function mergeSmallParts({ query_parts, key_parts, values }, most) {
  const rows = groups(query_parts, (at) => values[at].reduce((sum, value) => sum + Math.abs(value), 0), most);
  const cols = groups(key_parts, (at) => values.reduce((sum, row) => sum + Math.abs(row[at]), 0), most);
  return {
    rows: rows.map(({ name }) => name),
    cols: cols.map(({ name }) => name),
    values: rows.map((row) => cols.map((col) => total(values, row.at, col.at))),
  };
}

/** @param {{of: string}[]} parts @param {(at: number) => number} sizeOf @param {number} most */
function groups(parts, sizeOf, most) {
  const places = parts.map((_, at) => at);
  const single = (/** @type {number} */ at) => ({ name: parts[at].of, at: [at] });
  if (parts.length <= most) return places.map(single);
  const largest = new Set(places.toSorted((a, b) => sizeOf(b) - sizeOf(a)).slice(0, most - 1));
  const rest = places.filter((at) => !largest.has(at));
  return [...places.filter((at) => largest.has(at)).map(single), { name: REST, at: rest }];
}

/** @param {number[][]} values @param {number[]} rows @param {number[]} cols */
const total = (values, rows, cols) =>
  rows.reduce((sum, row) => sum + cols.reduce((part, col) => part + values[row][col], 0), 0);

/** @param {Replies.ScoreParts} parts */
export function strongest({ query_parts, key_parts, values }) {
  let best = { row: 0, col: 0 };
  values.forEach((own, row) =>
    own.forEach((value, col) => {
      if (Math.abs(value) > Math.abs(values[best.row][best.col])) best = { row, col };
    }),
  );
  return { query: query_parts[best.row].of, key: key_parts[best.col].of, value: values[best.row][best.col] };
}

/** @param {string} of "embedding", "L0H1", "mlp 0", "bias", "rest" and others */
export function kindOf(of) {
  const [, layer, head] = of.match(/^L(\d+)H(\d+)$/) ?? [];
  if (layer !== undefined) return { kind: "head", layer: Number(layer), head: Number(head) };
  const [, behind] = of.match(/^mlp (\d+)$/) ?? [];
  return behind === undefined ? { kind: of } : { kind: "mlp", layer: Number(behind) };
}

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
    element.style.cssText = `background:${colors.css(index)};color:${textColor(colors, index)}`;
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

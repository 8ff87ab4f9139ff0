import { wordsOf } from "../core/answer.js";
import { dataTable } from "../lib/data-table.js";
import { fill, h } from "../lib/dom.js";
import { format, short } from "../lib/numbers.js";
import { gradient, paint } from "../lib/paint.js";
import { colorsOf } from "../matrix/colors.js";
import { nameOf } from "../matrix/names.js";
import { keysOf } from "./steps.js";

const ROOM = 460; // CSS pixels of all rows
const PITCH = { least: 3, most: 24, named: 11, written: 15 };

/**
 * @param {HTMLElement} root @param {Store} store @param {State} state @param {Replies.DecodingStep} step
 * @param {Replies.DecodingStep} last sets the colour range @param {{equal_to_full: number | null}} decoding
 */
export function cache(root, store, state, step, last, decoding) {
  const { t } = store;
  const { reply } = /** @type {Answer} */ (state.answer);
  const n = wordsOf(reply, "key").lengths[state.view.batch];
  const [start, end] = keysOf(step);
  const weights = step.weights[0].at(-1) ?? [];
  const equal = decoding.equal_to_full;
  const error = h("b", { translate: "no" }, equal === null ? "–" : format(equal, 2));
  fill(
    root,
    h("header", {}, h("h3", {}, t("decode.cache")), h("span", { class: "equal" }, t("decode.equal"), " ", error)),
    state.view.table ? sheet(store, state, step, weights) : drawing(store, state, step, last, weights, n),
    h(
      "ul",
      { class: "rows-key" },
      h("li", { class: "made" }, t("decode.made", { n: end - start })),
      h("li", { class: "kept" }, t("decode.kept", { n: start })),
      h("li", { class: "coming" }, t("decode.coming", { n: n - end })),
    ),
  );
}

/** @param {Store} store @param {State} state @param {Replies.DecodingStep} step @param {Replies.DecodingStep} last @param {(number | null)[]} weights @param {number} n */
function drawing(store, state, step, last, weights, n) {
  const { t } = store;
  const [start, end] = keysOf(step);
  const pitch = Math.max(PITCH.least, Math.min(PITCH.most, Math.floor(ROOM / n)));
  const rows = Array.from({ length: n }, (_, at) => at);
  const kind = (/** @type {number} */ at) => (at >= end ? "coming" : at >= start ? "made" : "kept");
  const names = rows.map((at) => h("li", { class: kind(at) }, pitch >= PITCH.named && nameOf(state, "key", at)));
  const bars = rows.map((at) => {
    const weight = weights[at] ?? 0;
    const bar = h("i", { class: "bar" });
    bar.style.width = `${100 * weight}%`;
    return h(
      "li",
      { class: kind(at), title: at < end ? format(weight, state.view.precision) : null },
      bar,
      pitch >= PITCH.written && at < end && h("span", {}, format(weight, 3)),
    );
  });
  const query = nameOf(state, "query", step.rows[1] - 1);
  const grid = h(
    "div",
    { class: "cache", role: "img", "aria-label": t("decode.picture", { made: end - start, cached: start, query }) },
    h("span", { class: "axis-query" }, t("decode.query", { token: query })),
    strip(store, state, "axis-query", [step.q[0].at(-1) ?? []], largest(last.q[0]), 1, pitch * 0.9),
    h("span", { class: "head axis-key" }, t("decode.keys")),
    h("span", { class: "head axis-query" }, t("decode.weights")),
    h("span", { class: "head axis-value" }, t("decode.values")),
    h("ol", { class: "names", translate: "no" }, names),
    strip(store, state, "axis-key", step.k[0], largest(last.k[0]), n, pitch, keysOf(step)),
    h("ol", { class: "read", translate: "no" }, bars),
    strip(store, state, "axis-value", step.v[0], largest(last.v[0]), n, pitch, keysOf(step)),
    ramp(store, state, largest(last.k[0])),
    ramp(store, state, largest(last.v[0])),
  );
  grid.style.setProperty("--pitch", `${pitch}px`);
  return h("div", { class: "cache-frame" }, grid);
}

/** @param {Store} store @param {State} state @param {number} most */
function ramp({ page }, { theme }, most) {
  const colors = h("span", { class: "ramp" });
  colors.style.backgroundImage = gradient(colorsOf(page, theme, "signed"));
  return h(
    "div",
    { class: "legend", translate: "no" },
    h("span", {}, short(-most, 2)),
    colors,
    h("span", {}, short(most, 2)),
  );
}

/** @param {number[][]} rows */
const largest = (rows) =>
  rows.reduce((most, row) => row.reduce((size, value) => Math.max(size, Math.abs(value)), most), 0) || 1;

/**
 * Canvas of vectors; rows that later steps add are empty.
 * @param {Store} store @param {State} state @param {string} axis @param {number[][]} rows @param {number} most
 * @param {number} count @param {number} pitch @param {number[]} [fresh] new rows
 */
function strip({ page }, { theme }, axis, rows, most, count, pitch, fresh) {
  const cols = rows[0]?.length ?? 1;
  const values = new Float64Array(count * cols).fill(-Infinity);
  rows.forEach((row, at) =>
    values.set(
      row.map((value) => value ?? -Infinity),
      at * cols,
    ),
  );
  const canvas = h("canvas", { "aria-hidden": "true" });
  const density = Math.max(1, Math.round(window.devicePixelRatio));
  const wide = Math.max(1, Math.floor(190 / cols)) * cols * density;
  const high = Math.round(count * pitch * density);
  const scale = { low: -most, high: most };
  paint(canvas, { rows: count, cols, values }, colorsOf(page, theme, "signed"), scale, wide, high);
  const frame = fresh && fresh[1] > fresh[0] && h("i", { class: "fresh" });
  if (frame)
    Object.assign(frame.style, {
      top: `${(100 * fresh[0]) / count}%`,
      height: `${(100 * (fresh[1] - fresh[0])) / count}%`,
    });
  const box = h("div", { class: `rows-of ${axis}` }, canvas, frame);
  box.style.height = `${count * pitch}px`;
  return box;
}

/** @param {Store} store @param {State} state @param {Replies.DecodingStep} step @param {(number | null)[]} weights */
function sheet({ t }, state, step, weights) {
  const [start, end] = keysOf(step);
  const norm = (/** @type {number[]} */ row) => format(Math.hypot(...row), 3);
  const columns = ["of_token", "of_from", "of_norm_k", "of_weight", "of_norm_v"].map((name) => t(`decode.${name}`));
  const rows = Array.from({ length: end }, (_, at) => ({
    name: nameOf(state, "key", at),
    cells: [
      t(at < start ? "decode.cached" : "decode.new"),
      norm(step.k[0][at]),
      format(weights[at] ?? 0, state.view.precision),
      norm(step.v[0][at]),
    ],
  }));
  const table = dataTable({ class: "facts", columns: [columns], bodies: [rows] });
  return h("div", { class: "sheet", tabindex: "0" }, table);
}

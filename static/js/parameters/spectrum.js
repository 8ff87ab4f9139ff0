import { ticks } from "../lib/axis-ticks.js";
import { dataTable } from "../lib/data-table.js";
import { h } from "../lib/dom.js";
import { shapeText, typeset } from "../lib/notation.js";
import { format, short } from "../lib/numbers.js";
import { s } from "../lib/svg.js";

/** Terms in the order of the formula. @type {Record<string, string>} */
const TERMS = { x_w_qk_x: "x W_Q W_Kᵀ xᵀ", x_w_q_b_k: "x W_Q b_Kᵀ", b_q_w_k_x: "b_Q W_Kᵀ xᵀ", b_q_b_k: "b_Q b_Kᵀ" };

/** @param {number | null} value */
const number = (value) => (value === null ? "–" : value === 0 ? "0" : format(value, 3));

/**
 * @param {Pick<Store, "t">} store @param {string} name @param {Pick<Replies.HeadSpectra, "matrices">} own
 * @param {Pick<Replies.Spectra, "tensors">} spectra
 */
export function facts({ t }, name, own, { tensors }) {
  const columns = [own.matrices[name], ...(tensors?.[name] ? [tensors[name]] : [])];
  const infinite = (/** @type {number | null} */ value) => (value === null ? "∞" : format(value, 2));
  /** @type {[string, (one: Replies.Spectrum) => string][]} */
  const rows = [
    ["shape", ({ shape }) => shapeText(shape)],
    ["rank", ({ rank }) => String(rank)],
    ["largest", ({ singular_values: values }) => number(values[0])],
    ["smallest", ({ singular_values: values }) => number(values.at(-1) ?? null)],
    ["condition", ({ condition_number: value }) => infinite(value)],
    ["norm", ({ frobenius_norm: value }) => number(value)],
    ["determinant", determinant],
  ];
  const names = ["one_head", "all_heads"].slice(0, columns.length);
  return dataTable({
    class: "facts",
    columns: [[null, ...names.map((each) => t(`parameters.${each}`))]],
    bodies: [rows.map(([fact, tell]) => ({ name: t(`parameters.${fact}`), cells: columns.map(tell) }))],
  });
}

/** Writes a determinant beyond floats as a power of e. @param {Replies.Spectrum} one */
function determinant({ shape, determinant: value, log_abs_determinant: log }) {
  if (shape[0] !== shape[1]) return "–";
  return log !== null && (value === null || value === 0) ? `±e^${short(log, 1)}` : number(value);
}

/** @param {Store} store @param {Replies.HeadSpectra} own @param {Replies.Spectra} spectra */
export function identities({ t }, own, { fused }) {
  const { terms, max_error: error } = own.bilinear;
  const biased = Object.entries(terms).filter(([, value]) => value !== 0);
  const rows = [
    line(t("parameters.bilinear"), error, t(error === null ? "parameters.turning" : "parameters.bilinear_why")),
    ...(biased.length > 1 ? biased : []).map(([name, value]) =>
      line(`max |${TERMS[name]}|`, value, name.endsWith("b_k") ? t("parameters.unseen") : ""),
    ),
    line(
      t("parameters.fused"),
      fused.max_difference,
      t("parameters.fused_why", {
        parts: fused.tensors.map((name) => name.replace("w_", "W_").toUpperCase()).join(" "),
        columns: fused.columns,
      }),
    ),
  ];
  if (own.asymmetry !== null) rows.push(line(t("parameters.asymmetry"), own.asymmetry, t("parameters.asymmetry_why")));
  const table = dataTable({ class: "facts", columns: [], bodies: [rows] });
  return h("div", {}, h("h3", {}, t("parameters.checks")), table);
}

/** @param {string} name @param {number | null} value @param {string} why */
const line = (name, value, why) => ({
  name: [...typeset(name), why && h("small", {}, typeset(why))],
  cells: [number(value)],
});

const [WIDE, HIGH, LEFT, BELOW] = [290, 150, 34, 24]; // px
const MOST = 512; // bars; with more values, only every n-th is drawn
const ROWS = 64;

/** @param {Pick<Store, "t">} store @param {Replies.Spectrum} spectrum @param {boolean} table */
export function singularValues(store, spectrum, table) {
  return table ? sheet(store, spectrum) : drawing(store, spectrum);
}

/** @param {Pick<Store, "t">} store @param {Replies.Spectrum} spectrum */
function drawing({ t }, { singular_values: values, rank }) {
  const most = values[0] || 1;
  const [width, height] = [WIDE - LEFT - 6, HIGH - BELOW - 8];
  const y = (/** @type {number} */ value) => 8 + height * (1 - value / most);
  const step = Math.ceil(values.length / MOST);
  const pitch = width / values.length;
  const bar = (/** @type {number} */ value, /** @type {number} */ at) =>
    s("rect", {
      x: (LEFT + at * pitch).toFixed(2),
      y: y(value).toFixed(2),
      width: Math.max(0.4, step * pitch * 0.82).toFixed(2),
      height: Math.max(value > 0 ? 0.8 : 0, 8 + height - y(value)).toFixed(2),
      class: at < rank ? "bar-value" : "bar-nothing",
    });
  const shown = values.flatMap((value, at) => (at % step ? [] : [bar(value, at)]));
  const lines = ticks(most, 4).map((value) => [
    s("line", { x1: LEFT, x2: WIDE - 6, y1: y(value), y2: y(value), class: "rule" }),
    s("text", { x: LEFT - 5, y: y(value) + 3.5, "text-anchor": "end" }, short(value, 3)),
  ]);
  const label = t("parameters.bars", { n: values.length, largest: format(values[0], 3), rank });
  return s(
    "svg",
    { viewBox: `0 0 ${WIDE} ${HIGH}`, class: "chart", role: "img", "aria-label": label },
    lines.flat(),
    shown,
    s("text", { x: LEFT, y: HIGH - 8 }, "1"),
    s("text", { x: WIDE - 6, y: HIGH - 8, "text-anchor": "end" }, String(values.length)),
    s("text", { x: LEFT + width / 2, y: HIGH - 8, "text-anchor": "middle" }, t("parameters.index")),
    s("text", { x: 3, y: 14, class: "axis-name" }, "σ"),
  );
}

/** @param {Pick<Store, "t">} store @param {Replies.Spectrum} spectrum */
function sheet({ t }, { singular_values: values }) {
  const rows = values.slice(0, ROWS).map((value, at) => ({ name: at + 1, cells: [format(value, 6)] }));
  const table = dataTable({ columns: [[t("parameters.index"), "σ"]], bodies: [rows] });
  const more =
    values.length > ROWS && h("p", { class: "muted" }, t("parameters.first", { n: ROWS, all: values.length }));
  return h("div", { class: "sheet", tabindex: "0" }, table, more);
}

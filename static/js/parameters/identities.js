import { dataTable } from "../lib/data-table.js";
import { h } from "../lib/dom.js";
import { format, short } from "../lib/numbers.js";
import { shapeText, typeset } from "../lib/notation.js";

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

/** What holds of a layer's matrices, as tables: rank and condition, and the identities with their errors. */

import { h } from "../lib/dom.js";
import { format, short } from "../lib/numbers.js";
import { shapeText, typeset } from "../lib/notation.js";

/** @typedef {import("../core/trace-replies.js").HeadSpectra} HeadSpectra */
/** @typedef {import("../core/trace-replies.js").Spectra} Spectra */
/** @typedef {import("../core/trace-replies.js").Spectrum} Spectrum */
/** @typedef {import("../core/state.js").State} State */
/** @typedef {import("../core/state.js").Store} Store */

/** The terms of the scores, in the order of their formula. @type {Record<string, string>} */
const TERMS = { x_w_qk_x: "x W_Q W_Kᵀ xᵀ", x_w_q_b_k: "x W_Q b_Kᵀ", b_q_w_k_x: "b_Q W_Kᵀ xᵀ", b_q_b_k: "b_Q b_Kᵀ" };

/** @param {number | null} value */
const number = (value) => (value === null ? "–" : value === 0 ? "0" : format(value, 3));

/**
 * Rank, condition and determinant of the head's matrix, and of all heads side by side.
 * @param {Store} store
 * @param {string} name
 * @param {HeadSpectra} own
 * @param {Spectra} spectra
 */
export function facts({ t }, name, own, { tensors }) {
  const columns = [own.matrices[name], ...(tensors?.[name] ? [tensors[name]] : [])];
  const infinite = (/** @type {number | null} */ value) => (value === null ? "∞" : format(value, 2));
  /** @type {[string, (one: Spectrum) => string][]} */
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
  return h(
    "table",
    { class: "facts" },
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        h("td"),
        names.map((each) => h("th", { scope: "col" }, t(`parameters.${each}`))),
      ),
    ),
    h(
      "tbody",
      {},
      rows.map(([fact, tell]) =>
        h(
          "tr",
          {},
          h("th", { scope: "row" }, t(`parameters.${fact}`)),
          columns.map((one) => h("td", {}, tell(one))),
        ),
      ),
    ),
  );
}

/** @param {Spectrum} one a power of e where the number itself is too large or too small to be held */
function determinant({ shape, determinant: value, log_abs_determinant: log }) {
  if (shape[0] !== shape[1]) return "–";
  return log !== null && (value === null || value === 0) ? `±e^${short(log, 1)}` : number(value);
}

/**
 * @param {Store} store
 * @param {State} state
 * @param {HeadSpectra} own
 * @param {Spectra} spectra
 */
export function identities({ t }, state, own, { fused }) {
  const { terms, max_error: error } = own.bilinear;
  const line = (/** @type {string} */ name, /** @type {string} */ value, /** @type {string} */ why) =>
    h("tr", {}, h("th", { scope: "row" }, typeset(name), why && h("small", {}, typeset(why))), h("td", {}, value));
  const biased = Object.entries(terms).filter(([, value]) => value !== 0);
  return h(
    "div",
    {},
    h("h3", {}, t("parameters.checks")),
    h(
      "table",
      { class: "facts" },
      h(
        "tbody",
        {},
        line(
          t("parameters.bilinear"),
          number(error),
          t(error === null ? "parameters.turning" : "parameters.bilinear_why"),
        ),
        biased.length > 1 &&
          biased.map(([name, value]) =>
            line(`max |${TERMS[name]}|`, number(value), name.endsWith("b_k") ? t("parameters.unseen") : ""),
          ),
        line(
          t("parameters.fused"),
          number(fused.max_difference),
          t("parameters.fused_why", {
            parts: fused.tensors.map((name) => name.replace("w_", "W_").toUpperCase()).join(" "),
            columns: fused.columns,
          }),
        ),
        own.asymmetry !== null && line(t("parameters.asymmetry"), number(own.asymmetry), t("parameters.asymmetry_why")),
      ),
    ),
  );
}

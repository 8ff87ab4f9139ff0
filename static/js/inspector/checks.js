import { h } from "../lib/dom.js";
import { format } from "../lib/numbers.js";

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

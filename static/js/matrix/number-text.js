import { format } from "../lib/numbers.js";

/**
 * A closed cell (null) is −∞ as a masked score, 0 as a weight, else a dash.
 * @param {Store} store @param {Stage} stage @param {number | null} value @param {number} precision
 */
export function formatCell(store, stage, value, precision) {
  const shut = value === null || value === -Infinity;
  if (stage.kind === "difference") return shut ? "–" : (value > 0 ? "+" : "") + format(value, precision);
  if (stage.kind === "weights" && shut) return store.t("cell.masked");
  return value === null && stage.name !== "masked_scores" ? "–" : format(value, precision);
}

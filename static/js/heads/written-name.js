/** The name of a head as it is written: "induction 0.91", and how that is measured. */

import { RULE, nameOf } from "../core/head-names.js";

/** @typedef {import("../core/state.js").Store["t"]} Told */

/**
 * @param {Told} t
 * @param {import("../core/head-names.js").Metrics | undefined} metrics
 * @returns {{text: string, about: string}} both empty where no metric stands out
 */
export function writtenName(t, metrics) {
  const found = nameOf(metrics);
  if (!found) return { text: "", about: "" };
  const { name, value } = found;
  const about = t("heads.name_about", { name: t(`heads.name.${name}`), how: t(`metric.about.${name}`), ...RULE });
  return { text: t("heads.named", { name: t(`heads.name.${name}`), value: value.toFixed(2) }), about };
}

import { namingMetric } from "./head-names.js";

/**
 * The name "first" does not count; "own" counts only if no head has another name.
 * @template {import("./head-names.js").Metrics} Each @param {Page} page @param {Each[]} metrics
 * @returns {Each | undefined}
 */
export function strongestOf(page, metrics) {
  const found = metrics.flatMap((each) => {
    const name = namingMetric(page, each);
    return name && name.name !== "first" ? [{ each, ...name }] : [];
  });
  const telling = found.filter(({ name }) => name !== "own");
  const [best] = (telling.length ? telling : found).toSorted((a, b) => b.value - a.value);
  return best?.each;
}

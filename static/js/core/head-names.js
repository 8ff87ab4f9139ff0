/** @typedef {Record<string, number | null | undefined> | object} Metrics */

const LEAST = 0.5; // lowest metric that names a head
const AHEAD = 1.5; // lowest ratio of a metric to each rival

/**
 * Metrics that can name a head, the preferred first.
 * @param {Page} page @returns `rivals`: metrics that the same weights may raise
 */
export const namingMetrics = ({ metrics }) =>
  metrics.flatMap(({ name, rivals }) => (rivals ? { name, rivals } : [])).reverse();

/**
 * The metric that stands out from its rivals; null if none does.
 * @param {Page} page @param {Metrics | undefined} metrics from 0 to 1
 */
export function namingMetric(page, metrics) {
  const own = /** @type {Record<string, number | null | undefined>} */ (metrics ?? {});
  const of = (/** @type {string} */ name) => own[name] ?? 0;
  const found = namingMetrics(page).find(
    ({ name, rivals }) => of(name) >= LEAST && rivals.every((rival) => of(name) >= AHEAD * of(rival)),
  );
  return found ? { name: found.name, value: of(found.name) } : null;
}

/**
 * "induction 0.91", and how the metric is measured.
 * @param {Pick<Store, "page" | "t">} store @param {Metrics | undefined} metrics
 */
export function nameTexts({ page, t }, metrics) {
  const found = namingMetric(page, metrics);
  if (!found) return { text: "", about: "" };
  const name = t(`heads.name.${found.name}`);
  const rule = { least: LEAST, ahead: AHEAD };
  const about = t("heads.name_about", { name, how: t(`metric.about.${found.name}`), ...rule });
  return { text: t("heads.named", { name, value: found.value.toFixed(2) }), about };
}

/**
 * The head with the strongest name. "first" does not count; "own" counts only if no head has another name.
 * @template {Metrics} Each @param {Page} page @param {Each[]} metrics
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

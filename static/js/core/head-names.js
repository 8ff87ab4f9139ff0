/** Names heads by the metric that stands out. */

/** @typedef {import("./page.js").Page} Page */
/** @typedef {Record<string, number | null | undefined> | object} Metrics */

const LEAST = 0.5; // mean share of attention
const AHEAD = 1.5; // times every rival

/**
 * Metrics that name heads, the clearest first. @param {Page} page
 * @returns {{name: string, rivals: string[]}[]} `rivals`: metrics that the same weights may raise
 */
export const naming = ({ metrics }) =>
  metrics.flatMap(({ name, rivals }) => (rivals ? { name, rivals } : [])).reverse();

/**
 * The metric that names a head; null if none stands out.
 * @param {Page} page @param {Metrics | undefined} metrics means over the queries, 0 to 1
 * @returns {{name: string, value: number} | null}
 */
export function nameOf(page, metrics) {
  const own = /** @type {Record<string, number | null | undefined>} */ (metrics ?? {});
  const of = (/** @type {string} */ name) => own[name] ?? 0;
  const found = naming(page).find(
    ({ name, rivals }) => of(name) >= LEAST && rivals.every((rival) => of(name) >= AHEAD * of(rival)),
  );
  return found ? { name: found.name, value: of(found.name) } : null;
}

/**
 * For example "induction 0.91", and how it is measured; both empty if no metric stands out.
 * @param {Pick<import("./state.js").Store, "page" | "t">} store @param {Metrics | undefined} metrics
 */
export function writtenName({ page, t }, metrics) {
  const found = nameOf(page, metrics);
  if (!found) return { text: "", about: "" };
  const name = t(`heads.name.${found.name}`);
  const rule = { least: LEAST, ahead: AHEAD };
  const about = t("heads.name_about", { name, how: t(`metric.about.${found.name}`), ...rule });
  return { text: t("heads.named", { name, value: found.value.toFixed(2) }), about };
}

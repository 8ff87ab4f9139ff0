/** Names heads by the metric that stands out. */

/** @typedef {Record<string, number | null | undefined> | object} Metrics */

export const NAMED = /** @type {const} */ (["induction", "duplicate_token", "previous", "first", "own"]);
const LEAST = 0.5; // mean share of attention
const AHEAD = 1.5; // times every rival
/**
 * Metrics that the same weights may raise. Metrics of repeated tokens count only queries that repeat one, so a head
 * that attends to its own token may have them too.
 * @type {Record<typeof NAMED[number], readonly string[]>}
 */
const RIVALS = {
  induction: ["previous", "duplicate_token"],
  duplicate_token: ["previous", "first", "induction"],
  previous: NAMED,
  first: NAMED,
  own: NAMED,
};

/**
 * The metric that names a head; null if none stands out.
 * @param {Metrics | undefined} metrics means over the queries, 0 to 1
 * @returns {{name: typeof NAMED[number], value: number} | null}
 */
export function nameOf(metrics) {
  const own = /** @type {Record<string, number | null | undefined>} */ (metrics ?? {});
  const of = (/** @type {string} */ name) => own[name] ?? 0;
  const standsOut = (/** @type {typeof NAMED[number]} */ name) =>
    of(name) >= LEAST && RIVALS[name].every((rival) => rival === name || of(name) >= AHEAD * of(rival));
  const name = NAMED.find(standsOut);
  return name ? { name, value: of(name) } : null;
}

/**
 * For example "induction 0.91", and how it is measured; both empty if no metric stands out.
 * @param {import("./state.js").Store["t"]} t @param {Metrics | undefined} metrics
 */
export function writtenName(t, metrics) {
  const found = nameOf(metrics);
  if (!found) return { text: "", about: "" };
  const name = t(`heads.name.${found.name}`);
  const rule = { least: LEAST, ahead: AHEAD };
  const about = t("heads.name_about", { name, how: t(`metric.about.${found.name}`), ...rule });
  return { text: t("heads.named", { name, value: found.value.toFixed(2) }), about };
}

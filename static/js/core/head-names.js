/** Names of heads: the one metric that stands out. */

/** @typedef {Record<string, number | null | undefined> | object} Metrics */

export const NAMED = /** @type {const} */ (["induction", "duplicate_token", "previous", "first", "own"]);
const LEAST = 0.5; // of all attention, on average
const AHEAD = 1.5; // times every rival
/**
 * Which other metrics the same weights may raise. Metrics of repeated tokens count only queries that repeat one:
 * a head that attends to its own token elsewhere may still have them.
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
 * The metric that a head is named after, with its value; null if none stands out.
 * @param {Metrics | undefined} metrics means over the queries, from 0 to 1
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
 * The name as written, "induction 0.91", and how it is measured; both empty if no metric stands out.
 * @param {import("./state.js").Store["t"]} t
 * @param {Metrics | undefined} metrics
 * @returns {{text: string, about: string}}
 */
export function writtenName(t, metrics) {
  const found = nameOf(metrics);
  if (!found) return { text: "", about: "" };
  const name = t(`heads.name.${found.name}`);
  const rule = { least: LEAST, ahead: AHEAD };
  const about = t("heads.name_about", { name, how: t(`metric.about.${found.name}`), ...rule });
  return { text: t("heads.named", { name, value: found.value.toFixed(2) }), about };
}

/** What a head is called after its numbers: the one metric that stands out. */

/** @typedef {Record<string, number | null | undefined>} Metrics */

const NAMED = ["previous", "induction", "duplicate_token", "first", "own"];
const LEAST = 0.5; // of all attention, on average
const AHEAD = 1.5; // times the next

/**
 * The metric that a head is named after, with its figure; null where none stands out.
 * @param {Metrics | undefined} metrics means over the queries, from 0 to 1
 * @returns {{name: string, value: number} | null}
 */
export function nameOfHead(metrics) {
  const measured = NAMED.map((name) => ({ name, value: metrics?.[name] ?? 0 }));
  const [best, next] = measured.toSorted((a, b) => b.value - a.value);
  return best.value >= LEAST && best.value >= AHEAD * next.value ? best : null;
}

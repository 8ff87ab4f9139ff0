/** The default head of a model with many. */

import { nameOf } from "./head-names.js";

/**
 * The head with the largest metric of those named after a token they attend to; if there is none, of those that
 * attend to their own token. Never a head with its weight on the first token.
 * @template {import("./head-names.js").Metrics} Each
 * @param {Each[]} metrics
 * @returns {Each | undefined}
 */
export function strongestOf(metrics) {
  const found = metrics.flatMap((each) => {
    const name = nameOf(each);
    return name && name.name !== "first" ? [{ each, ...name }] : [];
  });
  const telling = found.filter(({ name }) => name !== "own");
  const [best] = (telling.length ? telling : found).toSorted((a, b) => b.value - a.value);
  return best?.each;
}

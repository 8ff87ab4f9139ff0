/** The head that shows most, for who has not chosen one of many. */

import { nameOf } from "./head-names.js";

/**
 * The head with the largest figure of those that are named after a token they look for; where there is none, of those that
 * look at their own token. Heads that leave their weight on the first token are never it.
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

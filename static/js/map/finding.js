/** Finding a token of an axis by its text. */

/** How a text is compared: without white space around it, large and small letters alike. @param {string} text */
const bare = (text) => text.trim().toLowerCase();

/**
 * The tokens that contain a text; if some are equal to it, only these.
 * @param {(string | null)[]} tokens
 * @param {string} text
 * @returns {number[]}
 */
export function foundIn(tokens, text) {
  const sought = bare(text);
  if (!sought) return [];
  const whole = [];
  const parts = [];
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at];
    if (token === null) continue;
    const own = bare(token);
    if (own === sought) whole.push(at);
    else if (own.includes(sought)) parts.push(at);
  }
  return whole.length ? whole : parts;
}

/**
 * The place among those found that comes next; round and round.
 * @param {number[]} found in order
 * @param {number | null} from the one that is shown
 * @param {1 | -1} way
 */
export function nextOf(found, from, way) {
  if (from === null) return way === 1 ? found[0] : found[found.length - 1];
  const after = way === 1 ? found.find((at) => at > from) : found.findLast((at) => at < from);
  return after ?? (way === 1 ? found[0] : found[found.length - 1]);
}

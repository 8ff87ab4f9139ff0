/** @param {string} text */
const bare = (text) => text.trim().toLowerCase();

/** Tokens that equal the text, else those that contain it. @param {(string | null)[]} tokens @param {string} text */
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

/** The next match; wraps around. @param {number[]} found ascending @param {number | null} from @param {1 | -1} way */
export function nextOf(found, from, way) {
  if (from === null) return way === 1 ? found[0] : found[found.length - 1];
  const after = way === 1 ? found.find((at) => at > from) : found.findLast((at) => at < from);
  return after ?? (way === 1 ? found[0] : found[found.length - 1]);
}

/** Room for every token of a web of lines, in CSS pixels, and for the names that can be written there. */

/** @typedef {{pitch: number, label: number, gap: number, length: number, apart: number}} Spacing */

const TALLEST = 15_000; // device pixels of a canvas
const WIDE = 820; // from side to side
const WEIGHT = 44; // a weight behind a name
const LEGIBLE = 15; // a line of text
const LABEL = 150; // the longest name
const PITCH = { least: 19, most: 44 };
const ACROSS = { least: 22, most: 84 };
const BAND = { least: 260, most: 460, rest: 190 }; // between rows of tokens, and around them

/**
 * @param {Object} given
 * @param {number} given.count tokens of the longer side
 * @param {number} given.name the widest name
 * @param {number} given.width of the place the web stands in
 * @param {number} given.height from its top to the foot of the window
 * @param {number} given.density device pixels of a CSS pixel
 * @param {boolean} given.across whether the sides lie above each other
 * @returns {Spacing} `pitch` from token to token, `label` for a name and its weight, `gap` between the sides,
 *   `length` of a side, `apart` tokens from one written name to the next
 */
export function spacingOf({ count, name, width, height, density, across }) {
  const wide = Math.min(LABEL, name + 12);
  const room = across ? width : Math.max(300, height - 76);
  const least = across ? Math.max(ACROSS.least, wide) : PITCH.least;
  const most = across ? Math.max(ACROSS.most, wide) : PITCH.most;
  const limit = TALLEST / density / count;
  const pitch = Math.min(limit, Math.max(least, Math.min(most, room / count)));
  const band = Math.max(BAND.least, Math.min(BAND.most, height - BAND.rest));
  const label = wide + WEIGHT;
  const gap = across ? band : Math.min(width - 28, WIDE) - 2 * label;
  const apart = pitch < least ? Math.ceil((across ? wide : LEGIBLE) / pitch) : 1;
  return { pitch, label, gap, length: pitch * count, apart };
}

/**
 * Of tokens in the order of their importance, those that stand far enough from any before them.
 * @param {number[]} tokens
 * @param {number} apart
 * @returns {number[]}
 */
export function spaced(tokens, apart) {
  const taken = new Set();
  return tokens.filter((at) => {
    for (let near = at - apart + 1; near < at + apart; near++) if (taken.has(near)) return false;
    taken.add(at);
    return true;
  });
}

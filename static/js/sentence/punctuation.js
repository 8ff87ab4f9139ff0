/** Signs that would get lost among the words of a sentence, by their names: "a comma", not ",". */

const NAMES = /** @type {Record<string, string>} */ ({
  ",": "comma",
  ".": "full_stop",
  ";": "semicolon",
  ":": "colon",
  "?": "question_mark",
  "!": "exclamation_mark",
  "-": "hyphen",
  "–": "dash",
  "—": "dash",
  "'": "apostrophe",
  "’": "apostrophe",
  '"': "quotation_mark",
  "“": "quotation_mark",
  "”": "quotation_mark",
  "(": "opening_bracket",
  ")": "closing_bracket",
});

/**
 * A token as a sentence says it: signs by their names, or quoted where they have none.
 * @param {import("../core/state.js").Store["t"]} t
 * @param {string} token
 */
export function saidOf(t, token) {
  if (!token || /[\p{L}\p{N}\p{S}\p{M}]/u.test(token.replace(/[₀-₉]+$/, ""))) return token;
  return t(`sentence.sign.${NAMES[token] ?? "other"}`, { sign: token });
}

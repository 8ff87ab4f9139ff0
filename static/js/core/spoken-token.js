/** Tokens for screen readers: "a comma", not ",". */

import { decoded } from "./pieces.js";

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
  "↵": "line_break",
  "␣": "space",
  "⇥": "tab",
});

const BYTES = /^(<[\dA-F]{2}>)+$/;

/** Signs without a name are quoted. @param {Store["t"]} t @param {string} token */
export function spokenToken(t, token) {
  if (BYTES.test(token)) {
    const char = decoded(token);
    return char.includes("\ufffd") ? t("sentence.sign.bytes", { bytes: token.replace(/[<>]+/g, " ").trim() }) : char;
  }
  const sign = NAMES[token];
  if (!sign && (!token || /[\p{L}\p{N}\p{S}\p{M}]/u.test(token.replace(/[₀-₉]+$/, "")))) return token;
  return t(`sentence.sign.${sign ?? "other"}`, { sign: token });
}

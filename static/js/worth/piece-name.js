import { partsOf } from "../core/pieces.js";
import { spokenToken } from "../core/spoken-token.js";

/** @param {Store["t"]} t @param {string} token */
export function pieceName(t, token) {
  const { word } = partsOf(token);
  return /^[<↵␣⇥]/.test(word) ? spokenToken(t, word) : word;
}

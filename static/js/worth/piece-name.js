/** A piece in quotes; a byte as in the sentence above. */

import { saidOf } from "../core/spoken-token.js";

/** @param {import("../core/state.js").Store["t"]} t @param {string} token */
export function pieceName(t, token) {
  const bare = token.trim() || token;
  return bare.startsWith("<") ? saidOf(t, bare) : bare;
}

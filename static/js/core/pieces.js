/** Tokens of a trained tokenizer are pieces that keep their white space: how they are written, and said. */

const SIGNS = /** @type {Record<string, string>} */ ({ " ": "␣", "\n": "↵", "\t": "⇥" });

/**
 * A piece as its word, and a thin mark where a space comes before it. What is white space alone is a sign.
 * @param {string} piece
 * @returns {{mark: string, word: string}}
 */
export function partsOf(piece) {
  const bare = piece.trim();
  if (bare === piece) return { mark: "", word: piece };
  if (bare === "") return { mark: "", word: [...piece].map((sign) => SIGNS[sign] ?? "␣").join("") };
  return { mark: /^\s/.test(piece) ? "·" : "", word: bare };
}

/** A piece as it stands on an axis: "·Potter". @param {string} piece */
export function marked(piece) {
  const { mark, word } = partsOf(piece);
  return mark + word;
}

/** Tokens of a trained tokenizer are pieces that keep their white space: how they are written, and said. */

const SIGNS = /** @type {Record<string, string>} */ ({ " ": "␣", "\n": "↵", "\t": "⇥" });

/** A sign that leaves no mark, by its number in Unicode. @param {string} sign */
const named = (sign) =>
  SIGNS[sign] ??
  (/\s/.test(sign) ? "␣" : `U+${Number(sign.codePointAt(0)).toString(16).toUpperCase().padStart(4, "0")}`);

/**
 * A piece as its word, and a thin mark where a space comes before it. What leaves no mark is named: joiners, say, only
 * in a piece that has nothing else.
 * @param {string} piece
 * @returns {{mark: string, word: string}}
 */
export function partsOf(piece) {
  const bare = piece.trim();
  if (!/[^\p{C}\p{DI}\s]/u.test(piece)) return { mark: "", word: [...piece].map(named).join("") };
  return { mark: /^\s/.test(piece) ? "·" : "", word: bare.replace(/\p{Cc}/gu, named) };
}

/** Bytes as the characters they are parts of: "<E6><88><91>" is "我". @param {string} text */
export const decoded = (text) =>
  text.replace(/(<[\dA-F]{2}>)+/g, (run) =>
    new TextDecoder().decode(Uint8Array.from(run.match(/[\dA-F]{2}/g) ?? [], (hex) => parseInt(hex, 16))),
  );

/** A piece as written on an axis: "·Potter". @param {string} piece */
export function marked(piece) {
  const { mark, word } = partsOf(piece);
  return mark + word;
}

const SIGNS = /** @type {Record<string, string>} */ ({ " ": "␣", "\n": "↵", "\t": "⇥" });

/** Visible name of an invisible character. @param {string} sign */
const named = (sign) =>
  SIGNS[sign] ??
  (/\p{Zs}/u.test(sign) ? "␣" : `U+${Number(sign.codePointAt(0)).toString(16).toUpperCase().padStart(4, "0")}`);

/**
 * Splits a piece into a mark for a leading space and visible text. Names the characters if all are invisible; puts a
 * combining mark without letter on a dotted circle.
 * @param {string} piece
 */
export function partsOf(piece) {
  if (!/[^\p{C}\p{DI}\s]/u.test(piece)) return { mark: "", word: [...piece].map(named).join("") };
  const word = piece
    .trim()
    .replace(/\p{Cc}/gu, named)
    .replace(/^\p{M}/u, "◌$&");
  return { mark: /^\s/.test(piece) ? "·" : "", word };
}

/** Decodes byte pieces: "<E6><88><91>" is "我". @param {string} text */
export const decoded = (text) =>
  text.replace(/(<[\dA-F]{2}>)+/g, (run) =>
    new TextDecoder("utf-8", { ignoreBOM: true }).decode(
      Uint8Array.from(run.match(/[\dA-F]{2}/g) ?? [], (hex) => parseInt(hex, 16)),
    ),
  );

/** Mark and word, such as "·Potter". @param {string} piece */
export function marked(piece) {
  const { mark, word } = partsOf(piece);
  return mark + word;
}

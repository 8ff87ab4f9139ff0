/** Parses tokens of a capture: one a line, or JSON. */

/**
 * @typedef {{rows: string[][] | null} | {wrong: string, values?: Record<string, unknown>}} Named `wrong`: message key;
 * null rows: no names
 */

/**
 * Tokens of each text. A line may begin with a bracket: only a list of strings or of lists is JSON.
 * @param {string} text @param {number} batch @param {number} n tokens of the longest text
 * @param {number} [spare] additional tokens allowed @returns {Named}
 */
export function namedTokens(text, batch, n, spare = 0) {
  if (!text.trim()) return { rows: null };
  const rows = written(text) ?? [text.replace(/\r?\n$/, "").split(/\r?\n/)];
  if (rows.length !== batch) return { wrong: "capture.texts", values: { found: rows.length, batch } };
  const found = Math.max(...rows.map((row) => row.length));
  if (found < n || found > n + spare) return { wrong: "capture.count", values: { found, n } };
  return { rows };
}

/** Lists of strings in JSON; null for anything else. @param {string} text @returns {string[][] | null} */
function written(text) {
  const isRow = (/** @type {unknown} */ row) =>
    Array.isArray(row) && row.length > 0 && row.every((token) => typeof token === "string");
  try {
    const found = JSON.parse(text);
    if (isRow(found)) return [found];
    return Array.isArray(found) && found.length > 0 && found.every(isRow) ? found : null;
  } catch {
    return null;
  }
}

/** Reads tokens or ids from lines or JSON. */

/**
 * @typedef {{rows: (string | number)[][] | null} | {wrong: string, values?: Record<string, unknown>}} Named `wrong`:
 * message key; `rows`: null if nothing was written
 * @typedef {{batch: number, count: number, spare: number, ids: boolean}} Wanted `batch`: texts; `count`: tokens of the
 * longest text; `spare`: tokens allowed beyond `count`; `ids`: whether tokens are ids, not strings
 */

const ID = /^\s*\d+\s*$/;

/**
 * Reads JSON only if it is a list of strings, ids or lists: a line may begin with a bracket.
 * @param {string} text @param {Wanted} wanted @returns {Named}
 */
export function namedTokens(text, { batch, count, spare, ids }) {
  if (!text.trim()) return ids ? { wrong: "capture.no_ids" } : { rows: null };
  const rows = jsonRows(text, ids) ?? [lines(text, ids)];
  if (rows.length !== batch) return { wrong: "capture.texts", values: { found: rows.length, batch } };
  if (ids && !rows.flat().every(Number.isSafeInteger)) return { wrong: "capture.no_ids" };
  const found = Math.max(...rows.map((row) => row.length));
  if (found < count || found > count + spare) return { wrong: "capture.count", values: { found, n: count } };
  return { rows };
}

/** @param {string} text @param {boolean} ids */
function lines(text, ids) {
  const found = text.replace(/\r?\n$/, "").split(/\r?\n/);
  return ids ? found.map((line) => (ID.test(line) ? Number(line) : line)) : found;
}

/**
 * Null unless the text is a JSON list.
 * @param {string} text @param {boolean} ids @returns {(string | number)[][] | null}
 */
function jsonRows(text, ids) {
  const isToken = (/** @type {unknown} */ one) => typeof one === "string" || (ids && Number.isSafeInteger(one));
  const isRow = (/** @type {unknown} */ row) => Array.isArray(row) && row.length > 0 && row.every(isToken);
  try {
    const found = JSON.parse(text);
    if (isRow(found)) return [found];
    return Array.isArray(found) && found.length > 0 && found.every(isRow) ? found : null;
  } catch {
    return null;
  }
}

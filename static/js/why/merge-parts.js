/** Merges the smallest parts of a score; their sum stays the same. */

const REST = "rest";

/** @param {Replies.ScoreParts} parts @param {number} most limit for rows and for columns */
export function mergeSmallParts({ query_parts, key_parts, values }, most) {
  const rows = groups(query_parts, (at) => values[at].reduce((sum, value) => sum + Math.abs(value), 0), most);
  const cols = groups(key_parts, (at) => values.reduce((sum, row) => sum + Math.abs(row[at]), 0), most);
  return {
    rows: rows.map(({ name }) => name),
    cols: cols.map(({ name }) => name),
    values: rows.map((row) => cols.map((col) => total(values, row.at, col.at))),
  };
}

/** @param {{of: string}[]} parts @param {(at: number) => number} sizeOf @param {number} most */
function groups(parts, sizeOf, most) {
  const places = parts.map((_, at) => at);
  const single = (/** @type {number} */ at) => ({ name: parts[at].of, at: [at] });
  if (parts.length <= most) return places.map(single);
  const largest = new Set(places.toSorted((a, b) => sizeOf(b) - sizeOf(a)).slice(0, most - 1));
  const rest = places.filter((at) => !largest.has(at));
  return [...places.filter((at) => largest.has(at)).map(single), { name: REST, at: rest }];
}

/** @param {number[][]} values @param {number[]} rows @param {number[]} cols */
const total = (values, rows, cols) =>
  rows.reduce((sum, row) => sum + cols.reduce((part, col) => part + values[row][col], 0), 0);

/** @param {Replies.ScoreParts} parts */
export function strongest({ query_parts, key_parts, values }) {
  let best = { row: 0, col: 0 };
  values.forEach((own, row) =>
    own.forEach((value, col) => {
      if (Math.abs(value) > Math.abs(values[best.row][best.col])) best = { row, col };
    }),
  );
  return { query: query_parts[best.row].of, key: key_parts[best.col].of, value: values[best.row][best.col] };
}

/** @param {string} of "embedding", "L0H1", "mlp 0", "bias", "rest" and others */
export function kindOf(of) {
  const [, layer, head] = of.match(/^L(\d+)H(\d+)$/) ?? [];
  if (layer !== undefined) return { kind: "head", layer: Number(layer), head: Number(head) };
  const [, behind] = of.match(/^mlp (\d+)$/) ?? [];
  return behind === undefined ? { kind: of } : { kind: "mlp", layer: Number(behind) };
}

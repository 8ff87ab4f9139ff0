/** The largest few of many. */

/**
 * All entries in their order; if more than fit, only the largest, in descending order.
 * @template Entry
 * @param {Entry[]} entries
 * @param {number} most how many fit
 * @param {(entry: Entry) => number} sizeOf
 * @returns {Entry[]}
 */
export function largest(entries, most, sizeOf) {
  if (entries.length <= most) return entries;
  return entries.toSorted((a, b) => sizeOf(b) - sizeOf(a)).slice(0, most);
}

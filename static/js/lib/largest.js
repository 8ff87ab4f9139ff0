/** The largest few of many. */

/**
 * All entries in their order, or the largest alone, largest first, where there are more than fit.
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

/**
 * The `most` largest entries, largest first; unsorted if there are no more.
 * @template Entry @param {Entry[]} entries @param {number} most @param {(entry: Entry) => number} sizeOf
 */
export function largest(entries, most, sizeOf) {
  if (entries.length <= most) return entries;
  return entries.toSorted((a, b) => sizeOf(b) - sizeOf(a)).slice(0, most);
}

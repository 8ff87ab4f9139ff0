/**
 * The `most` largest entries, largest first. All entries, unsorted, if there are at most `most`.
 * @template Entry @param {Entry[]} entries @param {number} most @param {(entry: Entry) => number} sizeOf
 */
export function largest(entries, most, sizeOf) {
  if (entries.length <= most) return entries;
  return entries.toSorted((a, b) => sizeOf(b) - sizeOf(a)).slice(0, most);
}

/** @typedef {[number | null, number | null]} Pair of indices; null if unpaired */

/** @param {number} a @param {number} b @returns {Pair[]} */
export function byPosition(a, b) {
  return Array.from({ length: Math.max(a, b) }, (_, at) => [at < a ? at : null, at < b ? at : null]);
}

/** Aligns by Levenshtein distance; pairs substituted tokens. @param {unknown[]} a @param {unknown[]} b */
export function byEdits(a, b) {
  const width = b.length + 1;
  const costs = new Uint16Array((a.length + 1) * width); // edits to align a[i…] with b[j…]
  const step = (/** @type {number} */ i, /** @type {number} */ j) => Number(a[i] !== b[j]);
  for (let j = 0; j <= b.length; j++) costs[a.length * width + j] = b.length - j;
  for (let i = a.length - 1; i >= 0; i--) {
    costs[i * width + b.length] = a.length - i;
    for (let j = b.length - 1; j >= 0; j--) {
      const at = i * width + j;
      const across = costs[at + width + 1] + step(i, j);
      costs[at] = Math.min(across, costs[at + width] + 1, costs[at + 1] + 1);
    }
  }
  /** @type {Pair[]} */
  const pairs = [];
  for (let i = 0, j = 0; i < a.length || j < b.length;) {
    const at = i * width + j;
    const [left, right] = [i < a.length, j < b.length];
    if (left && right && costs[at] === costs[at + width + 1] + step(i, j)) pairs.push([i++, j++]);
    else if (left && costs[at] === costs[at + width] + 1) pairs.push([i++, null]);
    else pairs.push([null, j++]);
  }
  return pairs;
}

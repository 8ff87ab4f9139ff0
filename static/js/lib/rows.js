/** Numbers as the API takes a matrix. */

/**
 * Numbers as rows, as the API takes a matrix.
 * @param {ArrayLike<number>} values
 * @param {number} width
 * @returns {number[][]}
 */
export function rowsOf(values, width) {
  const rows = values.length / width;
  return Array.from({ length: rows }, (_, row) => Array.from({ length: width }, (_, col) => values[row * width + col]));
}

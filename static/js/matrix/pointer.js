/**
 * @param {{clientX: number, clientY: number}} event @param {Element} picture which the cells fill
 * @param {Size} size @returns null outside the picture
 */
export function cellUnder({ clientX, clientY }, picture, { rows, cols }) {
  const box = picture.getBoundingClientRect();
  const row = Math.floor(((clientY - box.top) / box.height) * rows);
  const col = Math.floor(((clientX - box.left) / box.width) * cols);
  return row >= 0 && col >= 0 && row < rows && col < cols ? { row, col } : null;
}

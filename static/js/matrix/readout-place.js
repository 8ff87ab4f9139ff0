const GAP = 6;

/** @typedef {{left: number, right: number, top: number, bottom: number}} Box */

/**
 * Beside the cell, else below the picture, so that the readout covers no label.
 * @param {Box} cell @param {Box} picture @param {{width: number, height: number}} size of the readout
 * @param {{edge: number, right: number, bottom: number}} most `edge`: right edge of the card; others: of the window
 */
export function readoutPlace(cell, picture, { width, height }, most) {
  const edge = Math.min(most.edge, most.right - GAP);
  const after = cell.right + GAP;
  const before = cell.left - GAP - width;
  const above = cell.top - GAP - height;
  const top = above >= Math.max(picture.top, 0) ? above : cell.bottom + GAP;
  if (after + width <= edge) return { left: after, top };
  if (before >= picture.left) return { left: before, top };
  const left = Math.max(0, Math.min(picture.left, most.right - GAP - width));
  return { left, top: Math.min(picture.bottom + GAP, most.bottom - GAP - height) };
}

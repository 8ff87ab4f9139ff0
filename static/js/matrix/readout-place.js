/** The position of a cell's readout: beside the cell, and over no label. */

const GAP = 6; // CSS pixels between a cell and its readout

/** @typedef {{left: number, right: number, top: number, bottom: number}} Box in the window */

/**
 * The corner of a readout, in the window. Labels are left of the picture and above it, those of the next card on
 * the right of `edge`. Below the picture there are none: a readout that has no room beside its cell goes there.
 * @param {Box} cell
 * @param {Box} picture
 * @param {{width: number, height: number}} size of the readout
 * @param {{edge: number, right: number, bottom: number}} most the right side of the card; those of the window
 * @returns {{left: number, top: number}}
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

import { isClosed } from "../lib/paint.js";

const MOST = 256; // last queries that are searched

/** @type {WeakMap<Picture, RowCol>} */
const known = new WeakMap();

/** Cell with the largest weight × log(open keys). @param {Picture | null} picture */
export function strongestLook(picture) {
  if (!picture) return null;
  const place = known.get(picture) ?? strongest(picture);
  known.set(picture, place);
  return place;
}

/** @param {Picture} picture @returns {RowCol} */
function strongest(picture) {
  const { coarse } = picture;
  if (coarse) return coarse.cellOf(picture, strongest(coarse.asPoints(picture)));
  const rows = Math.min(picture.rows, picture.realRows ?? Infinity);
  let best = { row: rows - 1, col: Math.min(rows, picture.cols) - 1, worth: 0 };
  for (let row = Math.max(0, rows - MOST); row < rows; row++) {
    const look = lookOf(picture, row);
    if (look && look.worth >= best.worth) best = { row, ...look };
  }
  return { row: best.row, col: best.col };
}

/** Null if every key is closed. @param {Picture} picture @param {number} row */
function lookOf(picture, row) {
  let [open, col, most] = [0, -1, -1];
  for (let at = 0; at < picture.cols; at++) {
    if (isClosed(picture, row, at)) continue;
    open += 1;
    const weight = picture.values[row * picture.cols + at];
    if (weight > most) [col, most] = [at, weight];
  }
  return open ? { col, worth: most * Math.log(open) } : null;
}

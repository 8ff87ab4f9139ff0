/** Text of a cell's number, which is quantised until the exact one arrives. */

import { squareAt } from "../core/exact-numbers.js";
import { numberAt } from "../lib/number-at.js";
import { formatCell } from "./cell-text.js";

/** @param {Picture} picture @param {RowCol} at */
export function isExact(picture, { row, col }) {
  const { coarse, realRows = Infinity, realCols = Infinity } = picture;
  return !coarse || row >= realRows || col >= realCols || coarse.known(row, col) !== undefined;
}

/** @param {Store} store @param {Stage} stage @param {Picture} picture @param {RowCol} at @param {number} precision */
export function readCell(store, stage, picture, at, precision) {
  if (picture.left?.includes(at.col)) return store.t("cell.left_out");
  const value = numberAt(picture, at.row, at.col);
  const { coarse } = picture;
  if (!coarse || isExact(picture, at)) return formatCell(store, stage, value, precision);
  const { rows, cols } = squareAt(at, picture);
  coarse.request("cell", rows, cols);
  const closed = value === null || value === -Infinity; // then every cell of the point is closed
  const decimals = Math.min(precision, coarse.decimalsOf(value ?? 0));
  const text = formatCell(store, stage, closed ? value : Number(value.toFixed(decimals)), decimals);
  if (closed) return text;
  const [high, wide] = coarse.side;
  return coarse.isWhole ? `≈ ${text}` : store.t("cell.strongest", { value: `≈ ${text}`, rows: high, cols: wide });
}

import { blockOf, numbersOf } from "./map-replies.js";
import { TILE, sideOf } from "./pyramid.js";

const MOST = 64; // largest side of a square whose numbers are all requested

/**
 * The cell of the largest number in a square.
 * @param {Maps.Sheet} sheet @param {RowCol} from @param {number} side power of two @param {AbortSignal} signal
 */
export async function strongestIn(sheet, from, side, signal) {
  const { named, selected, extent, size } = sheet;
  let [square, wide] = [from, side];
  if (wide > MOST) {
    // Each cell of this level is a square of `cells` × `cells` on the map.
    const cells = Math.max(1, wide / TILE);
    const z = extent.levels - 1 - Math.log2(cells);
    const reach = TILE * sideOf(extent.levels, z);
    const tile = { z, row: Math.floor(square.row / reach), col: Math.floor(square.col / reach) };
    const numbers = await numbersOf(named, selected, tile, "max", signal);
    const corner = { row: (square.row % reach) / cells, col: (square.col % reach) / cells };
    const at = largest(numbers, corner, wide / cells);
    square = { row: tile.row * reach + at.row * cells, col: tile.col * reach + at.col * cells };
    wide = cells;
  }
  const rows = /** @type {Span} */ ([square.row, Math.min(size.rows, square.row + wide)]);
  const cols = /** @type {Span} */ ([square.col, Math.min(size.cols, square.col + wide)]);
  if (wide === 1) return square;
  const numbers = await blockOf(named, selected, { rows, cols }, signal);
  const at = largest(numbers, { row: 0, col: 0 }, wide);
  return { row: square.row + at.row, col: square.col + at.col };
}

/** @param {Maps.Numbers} numbers @param {RowCol} from @param {number} side */
export function largest({ rows, cols, values }, from, side) {
  let best = from;
  let most = -Infinity;
  for (let row = from.row; row < Math.min(rows, from.row + side); row++)
    for (let col = from.col; col < Math.min(cols, from.col + side); col++)
      if (values[row * cols + col] > most) {
        most = values[row * cols + col];
        best = { row, col };
      }
  return best;
}

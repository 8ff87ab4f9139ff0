/** Exact number of the hovered cell or square, fetched after a pause. */

import { onProblem } from "../core/api.js";
import { Lru, newest } from "../lib/newest.js";
import { tileName } from "./double-buffer.js";
import { numbersOf, blockOf } from "./map-replies.js";
import { TILE, levelFor, sideOf } from "./pyramid.js";

const KEPT = 6; // cached tiles of 256 KB
const PAUSE = 60; // ms

/** @param {number} levels @param {number} side @param {RowCol} cell */
export function tilePlaceOf(levels, side, { row, col }) {
  const [y, x] = [Math.floor(row / side), Math.floor(col / side)];
  const tile = { z: levelFor(levels, 1 / side), row: Math.floor(y / TILE), col: Math.floor(x / TILE) };
  return { tile, y: y % TILE, x: x % TILE };
}

export class ExactNumber {
  /** @param {() => void} came */
  constructor(came) {
    /** @type {Lru<Maps.Numbers>} by tile name */
    this.cache = new Lru(KEPT);
    this.timer = 0;
    this.wantedTile = "";
    this.requests = newest(
      (/** @type {Maps.Numbers} */ numbers) => {
        this.cache.set(this.wantedTile, numbers);
        came();
      },
      onProblem(() => this.requests.drop()), // the next `want` retries
    );
  }

  /**
   * Undefined until loaded.
   * @param {Maps.Sheet} sheet @param {number} side cells @param {RowCol} cell
   */
  numberOf(sheet, side, cell) {
    if (side === 1) return sheet.blocks.at(cell.row, cell.col);
    const { tile, y, x } = tilePlaceOf(sheet.extent.levels, side, cell);
    const numbers = this.cache.values.get(tileName(sheet, tile));
    return numbers?.values[y * numbers.cols + x];
  }

  /** @param {Maps.Sheet} sheet @param {number} side @param {RowCol} cell @param {Maps.Region[]} beside */
  want(sheet, side, cell, beside) {
    clearTimeout(this.timer);
    if (this.numberOf(sheet, side, cell) !== undefined) return;
    this.timer = setTimeout(() => this.ask(sheet, side, cell, beside), PAUSE);
  }

  /** @param {Maps.Sheet} sheet @param {number} side @param {RowCol} cell @param {Maps.Region[]} beside */
  ask(sheet, side, { row, col }, beside) {
    if (side === 1) return sheet.blocks.want([{ rows: [row, row + 1], cols: [col, col + 1] }, ...beside]);
    const { tile } = tilePlaceOf(sheet.extent.levels, side, { row, col });
    this.wantedTile = tileName(sheet, tile);
    const { named, selected, reduce } = sheet;
    this.requests.want(this.wantedTile, (signal) => numbersOf(named, selected, tile, reduce, signal));
  }

  destroy() {
    clearTimeout(this.timer);
    this.requests.drop();
  }
}

const MOST = 64; // largest side of a square whose numbers are all requested

/**
 * Cell with the largest number of a square.
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

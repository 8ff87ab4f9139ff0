/** Exact number of the cell or square under a resting pointer. */

import { onProblem } from "../core/api.js";
import { Lru, newest } from "../lib/newest.js";
import { numbersOf } from "./map-replies.js";
import { TILE, levelFor } from "./pyramid.js";
import { tileName } from "./double-buffer.js";

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
    this.held = new Lru(KEPT);
    this.timer = 0;
    this.sought = "";
    this.requests = newest(
      (/** @type {Maps.Numbers} */ numbers) => {
        this.held.set(this.sought, numbers);
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
    const numbers = this.held.values.get(tileName(sheet, tile));
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
    this.sought = tileName(sheet, tile);
    const { named, selected, reduce } = sheet;
    this.requests.want(this.sought, (signal) => numbersOf(named, selected, tile, reduce, signal));
  }

  destroy() {
    clearTimeout(this.timer);
    this.requests.drop();
  }
}

/** Exact numbers of cells, fetched in blocks. */

import { Problem } from "../core/api.js";
import { Lru } from "../lib/newest.js";

const SIDE = 32; // cells
const KEPT = 96; // cached blocks of 8 KB
const AT_ONCE = 2;

export class Blocks {
  /**
   * @param {(span: Maps.Region, signal: AbortSignal) => Promise<Maps.Numbers>} ask @param {Size} size
   * @param {() => void} came
   */
  constructor(ask, size, came) {
    this.ask = ask;
    this.size = size;
    this.onArrival = came;
    /** @type {Lru<Maps.Numbers>} */
    this.cache = new Lru(KEPT);
    /** @type {Map<string, AbortController>} */
    this.controllers = new Map();
    /** @type {RowCol[]} */
    this.wanted = [];
  }

  /** Exact number: −∞ if closed, undefined until loaded. @param {number} row @param {number} col */
  at(row, col) {
    const [y, x] = [Math.floor(row / SIDE), Math.floor(col / SIDE)];
    const block = this.cache.values.get(`${y} ${x}`);
    return block?.values[(row - y * SIDE) * block.cols + (col - x * SIDE)];
  }

  /** Requests the blocks of `spans` in order; cancels others. @param {Maps.Region[]} spans */
  want(spans) {
    this.wanted = spans.flatMap(blocksOn);
    const names = new Set(this.wanted.map(blockKey));
    for (const [name, controller] of this.controllers) if (!names.has(name)) controller.abort();
    this.requestNext();
  }

  requestNext() {
    for (const each of this.wanted) {
      const name = blockKey(each);
      if (this.controllers.size >= AT_ONCE) return;
      if (!this.cache.get(name) && !this.controllers.has(name)) this.load(name, each);
    }
  }

  /** @param {string} name @param {RowCol} block */
  async load(name, { row, col }) {
    const controller = new AbortController();
    this.controllers.set(name, controller);
    const span = (/** @type {number} */ at, /** @type {number} */ count) =>
      /** @type {Span} */ ([at * SIDE, Math.min(count, (at + 1) * SIDE)]);
    try {
      const { rows, cols } = this.size;
      const numbers = await this.ask({ rows: span(row, rows), cols: span(col, cols) }, controller.signal);
      if (controller.signal.aborted) return;
      this.cache.set(name, numbers);
      this.onArrival();
    } catch (problem) {
      if (controller.signal.aborted) return;
      if (!(problem instanceof Problem)) throw problem;
      this.wanted = this.wanted.filter((each) => blockKey(each) !== name);
    } finally {
      this.controllers.delete(name);
      this.requestNext();
    }
  }

  destroy() {
    this.want([]);
  }
}

/** @param {Maps.Region} span */
function blocksOn({ rows, cols }) {
  const [top, left] = [Math.floor(rows[0] / SIDE), Math.floor(cols[0] / SIDE)];
  const high = Math.floor((rows[1] - 1) / SIDE) - top + 1;
  const wide = Math.floor((cols[1] - 1) / SIDE) - left + 1;
  return Array.from({ length: high * wide }, (_, at) => ({
    row: top + Math.floor(at / wide),
    col: left + (at % wide),
  }));
}

/** @param {RowCol} block */
const blockKey = ({ row, col }) => `${row} ${col}`;

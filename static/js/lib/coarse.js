/**
 * A picture that came as bytes: 0 to 254 go evenly over its range, 255 is closed, and where there are more cells than
 * points a point stands for a square of them. It is for the eye: the number of a cell is known where it came apart.
 */

import { paint } from "./paint.js";

/** @typedef {import("./paint.js").Picture} Picture */
/** @typedef {[number, number]} Pair of rows, and of columns */

/**
 * @typedef {Object} Frame
 * @property {Pair} cells of the whole
 * @property {Pair} points of the picture
 * @property {Pair} side how many rows and columns of cells a point stands for
 * @property {Pair} range the values of 0 and of 254
 * @property {"strongest" | "mean" | "max"} [reduce] what a point says of its cells
 */

const CLOSED = 255;
export const STEPS = 254;

/** A picture has no other numbers. */
export const NONE = new Float32Array(0);

export class Coarse {
  /** @param {Uint8Array} bytes @param {Frame} frame */
  constructor(bytes, { cells, points, side, range, reduce = "strongest" }) {
    this.points = points;
    this.side = side;
    this.reduce = reduce;
    const [low, high] = range;
    this.step = (high - low) / STEPS;
    this.extent = { size: Math.max(Math.abs(low), Math.abs(high)), most: Math.max(high, 0) };
    const levels = Float32Array.from({ length: CLOSED + 1 }, (_, at) => (at === CLOSED ? -Infinity : low + at * this.step));
    this.values = Float32Array.from(bytes, (byte) => levels[byte]);
    /** @type {(row: number, col: number) => number | undefined} the number itself, −∞ where it is closed */
    this.known = () => undefined;
    this.block = { rows: cells[0], cols: cells[1], values: NONE, coarse: this };
  }

  /** Whether every point is one cell. */
  get isWhole() {
    return this.side[0] * this.side[1] === 1;
  }

  /** @param {number} row @param {number} col of a cell */
  pointOf(row, col) {
    return this.values[Math.floor(row / this.side[0]) * this.points[1] + Math.floor(col / this.side[1])];
  }

  /** @param {number} row @param {number} col of a cell */
  at(row, col) {
    return this.known(row, col) ?? this.pointOf(row, col);
  }

  /**
   * The points as a picture of their own: padding that shares a point with what is none is seen with it.
   * @param {Picture} picture
   * @returns {Picture}
   */
  small({ rows, cols, realRows = rows, realCols = cols }) {
    const [high, wide] = this.points;
    const [down, across] = this.side;
    const real = { realRows: Math.ceil(realRows / down), realCols: Math.ceil(realCols / across) };
    return { values: this.values, rows: high, cols: wide, ...real };
  }

  /**
   * As `paint` of paint.js: the squares at the edge may reach beyond the last cell, and are cut.
   * @param {HTMLCanvasElement} canvas
   * @param {Picture} picture
   * @param {import("./palette.js").Palette} colors
   * @param {import("./paint.js").Scale} scale
   * @param {number} width
   * @param {number} height
   */
  paint(canvas, picture, colors, scale, width, height) {
    const small = this.small(picture);
    const wide = Math.round((width * small.cols * this.side[1]) / picture.cols);
    const high = Math.round((height * small.rows * this.side[0]) / picture.rows);
    if (wide === width && high === height) return paint(canvas, small, colors, scale, width, height);
    const whole = new OffscreenCanvas(wide, high);
    paint(/** @type {any} */ (whole), small, colors, scale, wide, high);
    canvas.width = width;
    canvas.height = height;
    /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d")).drawImage(whole, 0, 0);
  }
}

/**
 * The smallest power of two by which so many cells make at most so many points.
 * @param {number} cells
 * @param {number} points
 */
export function sideFor(cells, points) {
  let side = 1;
  while (Math.ceil(cells / side) > points) side *= 2;
  return side;
}

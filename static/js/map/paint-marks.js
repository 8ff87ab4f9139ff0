import { formatFixed } from "../lib/fixed-decimals.js";
import { textColor } from "../lib/text-color.js";
import { CLOSED, colorOf } from "./byte-codes.js";
import { boundsOf } from "./pan-zoom.js";
import { TILE } from "./pyramid.js";

const MOST = 2400; // most visible cells with numbers
const DIGIT = 0.565; // width of a digit / font size
const THIN = 4; // px; thinner rows and columns are marked by one line
const SMALLEST = 11; // px of the font

/**
 * Font size and decimals; null if numbers would not fit.
 * @param {number} scale px of a cell @param {{min: number, max: number}} range
 * @param {number} precision @param {Maps.Region} span
 */
export function typeOf(scale, { min, max }, precision, { rows, cols }) {
  if ((rows[1] - rows[0]) * (cols[1] - cols[0]) > MOST) return null;
  const whole = String(Math.trunc(Math.max(Math.abs(min), Math.abs(max)))).length + (min < 0 ? 1 : 0);
  const signs = Math.floor((scale - 3) / (DIGIT * SMALLEST));
  const decimals = Math.min(precision, signs - whole - 1);
  const least = max > 1 ? 1 : 2;
  if (decimals < Math.min(least, precision)) return null;
  const longest = whole + 1 + decimals;
  return { decimals, size: Math.max(SMALLEST, Math.min(22, scale / 3, (0.8 * scale) / (longest * DIGIT))) };
}

/**
 * @param {CanvasRenderingContext2D} context @param {Maps.Sheet} sheet @param {Maps.Region} span
 * @param {Maps.Layout} layout @param {{decimals: number, size: number}} type
 * @param {Maps.Codes[]} tiles of the finest level, for closed cells
 * @param {{scale: Maps.Scale, colors: Palette}} colouring @param {Maps.Ink} ink
 */
export function drawNumbers(context, sheet, span, { from, scale }, { decimals, size }, tiles, colouring, ink) {
  context.font = `${Math.floor(size)}px ${ink.family}`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  for (let row = span.rows[0]; row < span.rows[1]; row++) {
    for (let col = span.cols[0]; col < span.cols[1]; col++) {
      const value = sheet.blocks.at(row, col);
      if (value === undefined || value === -Infinity || isClosed(tiles, row, col)) continue;
      context.fillStyle = textColor(colouring.colors, colorOf(value, colouring.scale));
      context.fillText(inCell(value, decimals), from.x + (col + 0.5) * scale, from.y + (row + 0.5) * scale);
    }
  }
}

/** Writes small numbers with an exponent, not as 0.00. @param {number} value @param {number} decimals */
export function inCell(value, decimals) {
  if (value === 0 || Math.abs(value) >= 0.5 * 10 ** -decimals) return formatFixed(value, decimals);
  return value.toExponential(0).replaceAll("-", "−");
}

/** @param {Maps.Codes[]} tiles @param {number} row @param {number} col */
function isClosed(tiles, row, col) {
  const [y, x] = [Math.floor(row / TILE), Math.floor(col / TILE)];
  const tile = tiles.find((each) => each.row === y && each.col === x);
  return tile?.codes[(row - y * TILE) * tile.cols + (col - x * TILE)] === CLOSED;
}

export class MarkPainter {
  /** @param {CanvasRenderingContext2D} context in CSS pixels @param {Maps.Ink} ink */
  constructor(context, ink) {
    this.context = context;
    this.ink = ink;
  }

  /**
   * @param {number} left @param {number} top @param {number} width @param {number} height @param {string} color
   * @param {number} thick
   */
  frame(left, top, width, height, color, thick) {
    const { context } = this;
    context.lineWidth = thick + 2;
    context.strokeStyle = this.ink.surface;
    context.strokeRect(left, top, width, height);
    context.lineWidth = thick;
    context.strokeStyle = color;
    context.strokeRect(left, top, width, height);
  }

  /** @param {Maps.Region} cell @param {Maps.Layout} layout */
  cross({ rows, cols }, layout) {
    const { from, scale } = layout;
    const [top, left] = [from.y + rows[0] * scale, from.x + cols[0] * scale];
    const high = Math.max(2, (rows[1] - rows[0]) * scale);
    const wide = Math.max(2, (cols[1] - cols[0]) * scale);
    const { left: first, top: upper, right, bottom } = boundsOf(layout);
    const [row, col] = [high < THIN ? 0 : high, wide < THIN ? 0 : wide];
    this.frame(first, top + (high - row) / 2, right - first, row, this.ink.query, 1.5);
    this.frame(left + (wide - col) / 2, upper, col, bottom - upper, this.ink.key, 1.5);
    this.frame(left, top, wide, high, this.ink.ink, 2);
  }

  /** @param {Pointed} token @param {Maps.Layout} layout */
  band({ axis, at }, layout) {
    const { from, scale } = layout;
    const thick = scale < THIN ? 0 : scale;
    const { left, top, right, bottom } = boundsOf(layout);
    if (axis === "query") this.frame(left, from.y + at * scale, right - left, thick, this.ink.query, 2);
    else this.frame(from.x + at * scale, top, thick, bottom - top, this.ink.key, 2);
  }

  /** @param {RowCol} cell @param {Maps.Layout} layout */
  pin({ row, col }, { from, scale }) {
    const side = Math.max(5, scale);
    const inset = (scale - side) / 2;
    this.frame(from.x + col * scale + inset, from.y + row * scale + inset, side, side, this.ink.ink, 2);
  }
}

/** Lays out lines, in px, and draws thousands with one stroke per step of opacity. */

import { largest } from "../lib/largest.js";

/**
 * Hues of neighbouring heads differ by the golden angle.
 * @param {Place} place @param {string} theme
 */
export function colorOfHead({ layer, head }, theme) {
  const hue = ((head + 5 * layer) * 137.508 + 255) % 360;
  return `oklch(${theme === "dark" ? 0.76 : 0.52} 0.15 ${hue.toFixed(1)})`;
}

/** @typedef {{pitch: number, label: number, gap: number, length: number}} Spacing */

const WIDE = 820; // largest width of the picture
const WEIGHT = 44; // width of a weight beside a name
const LABEL = 150; // largest width of a name
const PITCH = { least: 19, most: 44 };
const ACROSS = { least: 22, most: 84 };
const BAND = { least: 260, most: 460, rest: 190 }; // px between two rows of tokens; `rest`: above and below

/**
 * @param {{count: number, name: number, width: number, height: number, across: boolean}} given `count`: tokens of
 * the longer side; `name`: width of the widest name; `across`: one side above the other
 * @returns {Spacing} `pitch` between tokens, `label`: width of name and weight, `gap` between sides, `length` of a side
 */
export function spacingOf({ count, name, width, height, across }) {
  const wide = Math.min(LABEL, name + 12);
  const room = across ? width : Math.max(300, height - 76);
  const least = across ? Math.max(ACROSS.least, wide) : PITCH.least;
  const most = across ? Math.max(ACROSS.most, wide) : PITCH.most;
  const pitch = Math.max(least, Math.min(most, room / count));
  const band = Math.max(BAND.least, Math.min(BAND.most, height - BAND.rest));
  const label = wide + WEIGHT;
  const gap = across ? band : Math.min(width - 28, WIDE) - 2 * label;
  return { pitch, label, gap, length: pitch * count };
}

/** @typedef {{across: boolean, near: number, far: number}} Sides `across`: one side above the other */

const STEPS = 24;
export const MOST = 6000; // most lines

/**
 * A quantised picture has only the strongest lines of each row, at most MOST in all.
 * @param {Picture} picture @param {number} least @param {(row: number, col: number) => boolean} skip
 */
export function linesOf({ values, rows, cols, coarse }, least, skip) {
  if (coarse) return coarseLines(coarse, least);
  const lines = [];
  for (let row = 0; row < rows; row++) {
    for (let col = 0; col < cols; col++) {
      const weight = values[row * cols + col];
      if (weight > 0 && weight >= least && !skip(row, col)) lines.push({ row, col, weight });
    }
  }
  return lines;
}

/** @param {import("../lib/quantized.js").QuantizedMap} coarse @param {number} least */
function coarseLines({ values, points: [rows, cols], side }, least) {
  const most = Math.max(1, Math.floor(MOST / rows));
  const middle = (/** @type {number} */ at, /** @type {number} */ cells) => at * cells + (cells - 1) / 2;
  return Array.from({ length: rows }, (_, row) => row).flatMap((row) => {
    const open = Array.from({ length: cols }, (_, col) => ({ col, weight: values[row * cols + col] }));
    const strong = open.filter(({ weight }) => weight > 0 && weight >= least);
    return largest(strong, most, ({ weight }) => weight).map(({ col, weight }) => ({
      row: middle(row, side[0]),
      col: middle(col, side[1]),
      weight,
    }));
  });
}

/**
 * @param {CanvasRenderingContext2D} context @param {{from: number, to: number, weight: number}[]} lines
 * @param {string} color @param {Sides} sides
 */
export function stroke(context, lines, color, { across, near, far }) {
  /** @type {Path2D[]} */
  const paths = [];
  const middle = (near + far) / 2;
  for (const { from, to, weight } of lines) {
    const path = (paths[Math.min(STEPS, Math.ceil(weight * STEPS))] ??= new Path2D());
    if (across) {
      path.moveTo(from, near);
      path.bezierCurveTo(from, middle, to, middle, to, far);
    } else {
      path.moveTo(near, from);
      path.bezierCurveTo(middle, from, middle, to, far, to);
    }
  }
  context.strokeStyle = color;
  paths.forEach((path, step) => {
    context.globalAlpha = step / STEPS;
    context.lineWidth = 1.2 + 2.4 * (step / STEPS);
    context.stroke(path);
  });
  context.globalAlpha = 1;
}

/** Lines between two rows of points, drawn by the thousand: opacity in steps, a stroke each. */

/** @typedef {{across: boolean, near: number, far: number}} Sides across: the sides lie above each other */

const STEPS = 24;

/**
 * The lines of a matrix that weigh at least so much, as index pairs; the strongest where there are too many.
 * @param {{values: ArrayLike<number>, rows: number, cols: number}} picture
 * @param {number} least
 * @param {(row: number, col: number) => boolean} skip
 * @returns {{row: number, col: number, weight: number}[]}
 */
export function linesOf({ values, rows, cols }, least, skip) {
  const lines = [];
  for (let row = 0; row < rows; row++) {
    for (let col = 0; col < cols; col++) {
      const weight = values[row * cols + col];
      if (weight > 0 && weight >= least && !skip(row, col)) lines.push({ row, col, weight });
    }
  }
  return lines;
}

/**
 * Strokes lines as curves that leave both sides at a right angle.
 * @param {CanvasRenderingContext2D} context
 * @param {{from: number, to: number, weight: number}[]} lines
 * @param {string} color
 * @param {Sides} sides
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

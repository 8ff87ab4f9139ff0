/** Where arrows and other step keys lead; null for other keys. */

import { inside, stepOf } from "./step-keys.js";

/** @typedef {import("./step-keys.js").Key} Key */

/** @param {Key} event @param {{row: number, col: number}} from @param {{rows: number, cols: number}} size */
export function cellAfter(event, { row, col }, { rows, cols }) {
  const step = stepOf(event);
  return step && { row: inside(row + step[0], rows), col: inside(col + step[1], cols) };
}

/** @param {Key} event @param {number} from @param {number} length */
export function placeAfter(event, from, length) {
  const step = stepOf(event);
  return step && inside(from + step[0] + step[1], length);
}

/** As `placeAfter`, without keys that change the row. @param {Key} event @param {number} from @param {number} length */
export function placeBeside(event, from, length) {
  const step = stepOf(event);
  return step && step[0] === 0 ? inside(from + step[1], length) : null;
}

/** The numbers inside the cells, where they fit and are known. */

import { fill, h } from "../lib/dom.js";
import { fixed } from "../lib/numbers.js";
import { closed, colorIndex, scaleOfRow } from "../lib/paint.js";

const MOST = 1024; // cells that carry a number
const CHARACTER = 0.5637; // width of a digit, as LINE of the letters
const LINE = 1.28;
const [SMALLEST, LARGEST] = [11, 32]; // letters, CSS pixels

/**
 * @param {HTMLElement} box
 * @param {import("../lib/paint.js").Picture} seen
 * @param {import("../lib/palette.js").Palette} colors
 * @param {import("../lib/paint.js").Scale} scale
 * @param {{cellWidth: number, cellHeight: number}} cells
 * @param {number} precision
 * @param {number} [least] size of the letters, in CSS pixels
 */
export function cellTexts(box, seen, colors, scale, cells, precision, least = SMALLEST) {
  fill(box);
  if (seen.rows * seen.cols > MOST || cells.cellHeight < LINE * least) return;
  const room = Math.floor((cells.cellWidth - 2) / (CHARACTER * least));
  const picture = seen.coarse?.exact(seen, room) ?? seen;
  const numbers = written(picture, precision, room);
  if (!numbers) return;
  Object.assign(box.style, {
    fontSize: `${sizeOf(numbers, cells, least)}px`,
    gridTemplateColumns: `repeat(${picture.cols}, ${cells.cellWidth}px)`,
    gridAutoRows: `${cells.cellHeight}px`,
  });
  /** @type {HTMLElement[]} */
  const texts = [];
  for (let row = 0; row < picture.rows; row++) {
    const own = scaleOfRow(picture, scale, row);
    for (let col = 0; col < picture.cols; col++) {
      const ink = colors.ink(colorIndex(picture.values[texts.length], own));
      texts.push(h("span", { class: ink === "#fff" && "white" }, numbers[texts.length]));
    }
  }
  fill(box, texts);
}

/**
 * How large the numbers can be: they grow with their cells, and leave some of them free.
 * @param {string[]} numbers
 * @param {{cellWidth: number, cellHeight: number}} cells
 * @param {number} least
 */
function sizeOf(numbers, { cellWidth, cellHeight }, least) {
  const longest = Math.max(1, ...numbers.map(({ length }) => length));
  const wide = (0.85 * cellWidth) / (longest * CHARACTER);
  return Math.floor(Math.max(least, Math.min(wide, cellHeight / 3, LARGEST)));
}

/**
 * Every open cell with as few decimals as tell them all, at most `precision`; where these do not
 * fit, with fewer, but two digits of the largest stay. Null where no number fits.
 * @param {import("../lib/paint.js").Picture} picture
 * @param {number} precision
 * @param {number} room characters in a cell
 * @returns {string[] | null}
 */
function written(picture, precision, room) {
  const cells = Array.from({ length: picture.rows * picture.cols }, (_, at) => ({
    value: picture.values[at],
    open: !closed(picture, Math.floor(at / picture.cols), at % picture.cols),
  }));
  const exact = (/** @type {number} */ d) =>
    cells.every(({ value, open }) => !open || Math.abs(value - Number(value.toFixed(d))) < 1e-9);
  let decimals = 0;
  while (decimals < precision && !exact(decimals)) decimals += 1;
  const above = (/** @type {number} */ most) => cells.some(({ value, open }) => open && Math.abs(value) > most);
  for (const least = Math.min(decimals, 2 - Number(above(1)) - Number(above(10))); decimals >= least; decimals--) {
    const texts = cells.map(({ value, open }) => (open ? fixed(value, decimals) : ""));
    if (texts.every((text) => text.length <= room)) return texts;
  }
  return null;
}

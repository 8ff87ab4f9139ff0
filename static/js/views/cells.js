/** The numbers inside the cells, where they fit. */

import { fill, h } from "../lib/dom.js";
import { fixed } from "../lib/numbers.js";
import { closed, colorIndex, scaleOfRow } from "../lib/paint.js";

const MOST = 1024; // cells that carry a number
const CHARACTER = 6.2; // CSS pixels of a digit

/**
 * @param {HTMLElement} box
 * @param {import("../lib/paint.js").Picture} picture
 * @param {import("../lib/color.js").Palette} colors
 * @param {import("../lib/paint.js").Scale} scale
 * @param {{cellWidth: number, cellHeight: number}} cells
 * @param {number} precision
 */
export function cellTexts(box, picture, colors, scale, cells, precision) {
  const decimals = Math.min(precision, 3);
  const width = (decimals + 3) * CHARACTER;
  if (cells.cellWidth < width || cells.cellHeight < 14 || picture.rows * picture.cols > MOST) return fill(box);
  box.style.gridTemplateColumns = `repeat(${picture.cols}, ${cells.cellWidth}px)`;
  box.style.gridAutoRows = `${cells.cellHeight}px`;
  const texts = [];
  for (let row = 0; row < picture.rows; row++) {
    const own = scaleOfRow(picture, scale, row);
    for (let col = 0; col < picture.cols; col++) {
      const value = picture.values[row * picture.cols + col];
      const hidden = closed(picture, row, col);
      const text = h("span", {}, hidden ? "" : fixed(value, decimals));
      if (!hidden) text.style.color = colors.ink(colorIndex(value, own));
      texts.push(text);
    }
  }
  fill(box, texts);
}

import { fill, h } from "../lib/dom.js";
import { widest } from "../lib/fit.js";
import { formatFixed } from "../lib/fixed-decimals.js";
import { isClosed, colorIndex, scaleOfRow } from "../lib/paint.js";
import { textColor } from "../lib/text-color.js";

export const MOST = 1024;
const CHARACTER = 0.5637; // width / font size
const LINE = 1.28; // height / font size
const [SMALLEST, LARGEST] = [11, 32]; // font size, px

/** @param {HTMLElement} box @param {import("./heatmap.js").Ink} ink @param [least] smallest font, px */
export function cellTexts(box, { picture: seen, colors, scale, cells, precision, family }, least = SMALLEST) {
  fill(box);
  if (seen.rows * seen.cols > MOST || cells.cellHeight < LINE * least) return;
  const room = roomIn(cells.cellWidth, least);
  const picture = seen.coarse?.exact(seen, room) ?? seen;
  const numbers = fittingTexts(picture, precision, room);
  if (!numbers) return;
  Object.assign(box.style, {
    fontSize: `${sizeOf(numbers, cells, least, family)}px`,
    gridTemplateColumns: `repeat(${picture.cols}, ${cells.cellWidth}px)`,
    gridAutoRows: `${cells.cellHeight}px`,
  });
  /** @type {HTMLElement[]} */
  const texts = [];
  for (let row = 0; row < picture.rows; row++) {
    const own = scaleOfRow(picture, scale, row);
    for (let col = 0; col < picture.cols; col++) {
      const ink = textColor(colors, colorIndex(picture.values[texts.length], own));
      texts.push(h("span", { class: ink === "#fff" && "white" }, numbers[texts.length]));
    }
  }
  fill(box, texts);
}

/** @param {number} width @param {number} letters */
const roomIn = (width, letters) => Math.floor((width - 2) / (CHARACTER * letters));

/** @param {string[]} numbers @param {import("../lib/fit.js").Fit} cells @param {number} least @param {string} family */
function sizeOf(numbers, { cellWidth, cellHeight }, least, family) {
  const longest = Math.max(1, ...numbers.map(({ length }) => length));
  const wide = (0.85 * cellWidth) / (longest * CHARACTER);
  const size = Math.floor(Math.max(least, Math.min(wide, cellHeight / 3, LARGEST)));
  const within = (100 * (cellWidth - 1)) / widthOf(numbers, family);
  return Math.min(size, Math.floor(10 * within) / 10); // for fonts wider than CHARACTER
}

/** In a font of 100 px. @param {string[]} numbers @param {string} family */
function widthOf(numbers, family) {
  const shapes = new Set(numbers.map((text) => text.replace(/\d/g, "0")));
  return Math.max(1, widest([...shapes], `100px ${family}`));
}

/**
 * Texts with the decimals that numbers need, at most `most` or 1; fewer if cells lack room. Null if none fit.
 * @param {Picture} picture @param {number} most @param {number} room characters in a cell
 */
function fittingTexts(picture, most, room) {
  const cells = numbersOf(picture);
  const exact = (/** @type {number} */ d) =>
    cells.every((value) => value === null || Math.abs(value - Number(value.toFixed(d))) < 1e-9);
  const digit = leastOf(cells);
  let decimals = 0;
  while (decimals < Math.max(most, Math.min(digit, 1)) && !exact(decimals)) decimals += 1;
  const fits = (/** @type {string[]} */ texts) => texts.every((text) => text.length <= room);
  for (const least = Math.min(decimals, digit); decimals >= least; decimals--) {
    const texts = cells.map((value) => (value === null ? "" : formatFixed(value, decimals)));
    if (fits(texts)) return texts;
    const bare = texts.map((text) => text.replace(/^(−?)0\./, "$1.").replace(/^(−?1)\.0$/, "$1"));
    if (decimals === 1 && digit === 1 && fits(bare)) return bare;
  }
  return null;
}

/** @param {Picture} picture */
function numbersOf(picture) {
  const { rows, cols, values } = picture;
  return Array.from({ length: rows * cols }, (_, at) =>
    isClosed(picture, Math.floor(at / cols), at % cols) ? null : values[at],
  );
}

/**
 * Fewest decimals that show a digit of the largest number, or of fractions beside 1.
 * @param {(number | null)[]} cells
 */
function leastOf(cells) {
  const most = cells.reduce((/** @type {number} */ largest, value) => Math.max(largest, Math.abs(value ?? 0)), 0);
  if (most === 1) return Number(cells.some((value) => (value ?? 0) % 1 !== 0)); // weights
  return most > 0 && most < 1 ? Math.ceil(-Math.log10(most)) : 0;
}

/**
 * @param {Picture[]} pictures @param {number} precision @param {number} width of a cell @param {number} [letters]
 */
export function sharedDecimals(pictures, precision, width, letters = SMALLEST) {
  const room = roomIn(width, letters);
  const most = pictures.map((picture) => {
    const cells = numbersOf(picture);
    const fits = (/** @type {number} */ d) =>
      cells.every((value) => value === null || formatFixed(value, d).length <= room);
    let decimals = precision;
    while (decimals > 0 && !fits(decimals)) decimals -= 1;
    return Math.max(decimals, Math.min(precision, leastOf(cells)));
  });
  return Math.min(precision, ...most);
}

/** @typedef {ReturnType<typeof fit>} Fit */

const WIDEST = 2.5; // largest width / height of a cell
const LEAST = 5; // CSS pixels; low cells may be this wide

/**
 * Fits a picture's cells into a room. A cell is a whole number of device pixels wide, unless several cells share one.
 * Returns `pixelsWide` and `pixelsHigh` in device pixels, other sizes in CSS pixels.
 * @param {Size} picture @param {{width: number, height: number}} room CSS pixels
 * @param {{square: boolean, most: number, stretch?: number}} wish `most`: largest side of a cell; `stretch`:
 * largest width / height of a cell if `square` @param [density] device pixels per CSS pixel
 */
export function fit(picture, room, wish, density = window.devicePixelRatio) {
  const high = Math.min(room.height / picture.rows, wish.most);
  const wide = Math.min(room.width / picture.cols, wish.most);
  const across = Math.min(wide, (wish.stretch ?? 1) * high);
  const [w, t] = wish.square
    ? [across, Math.min(high, across)]
    : [Math.min(wide, Math.max(WIDEST * high, LEAST)), high];
  const pixelsWide = whole(picture.cols, w * density);
  const pixelsHigh = whole(picture.rows, t * density);
  return {
    cellWidth: pixelsWide / picture.cols / density,
    cellHeight: pixelsHigh / picture.rows / density,
    width: pixelsWide / density,
    height: pixelsHigh / density,
    pixelsWide,
    pixelsHigh,
  };
}

/** @param {number} count @param {number} size */
function whole(count, size) {
  return Math.max(1, size >= 1 ? count * Math.floor(size) : Math.floor(count * size));
}

/** @type {CanvasRenderingContext2D | null} */
let ruler = null;

/** Width of the widest text in CSS pixels. @param {string[]} texts @param {string} font */
export function widest(texts, font) {
  ruler ??= document.createElement("canvas").getContext("2d");
  if (!ruler) return 0;
  ruler.font = font;
  let most = 0;
  for (const text of texts) most = Math.max(most, ruler.measureText(text).width);
  return Math.ceil(most);
}

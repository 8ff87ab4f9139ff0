/** Paints a matrix. Closed cells (masked or padding) are transparent, so that the hatch below shows. */

/** @type {Map<string, Palette>} */
const made = new Map();

/** @param {string} hex stops: RRGGBBRRGGBB… */
export function palette(hex) {
  const known = made.get(hex);
  if (known) return known;
  const stops = (hex.match(/.{6}/g) ?? []).map((rgb) => parseInt(rgb, 16));
  const pixels = Uint32Array.from({ length: 256 }, (_, index) => between(stops, index / 255));
  const palette = {
    pixels,
    css: (/** @type {number} */ index) => `rgb(${channels(pixels[index]).join(" ")})`,
  };
  made.set(hex, palette);
  return palette;
}

/** @param {number[]} stops 0xRRGGBB @param {number} part 0 to 1 */
function between(stops, part) {
  const at = part * (stops.length - 1);
  const [low, high] = [stops[Math.floor(at)], stops[Math.ceil(at)]];
  const channel = (/** @type {number} */ shift) => {
    const [a, b] = [(low >> shift) & 0xff, (high >> shift) & 0xff];
    return Math.round(a + (b - a) * (at - Math.floor(at)));
  };
  return (0xff000000 | (channel(0) << 16) | (channel(8) << 8) | channel(16)) >>> 0;
}

/** @param {number} pixel @returns red, green, blue */
export const channels = (pixel) => [pixel & 0xff, (pixel >> 8) & 0xff, (pixel >> 16) & 0xff];

/** CSS gradient between two colour indices. @param {Palette} colors @param {number} [from] @param {number} [to] */
export function gradient(colors, from = 0, to = 255) {
  const stops = Array.from({ length: 17 }, (_, i) => colors.css(Math.round(from + ((to - from) * i) / 16)));
  return `linear-gradient(to right, ${stops.join(", ")})`;
}

/** @param {Picture} picture @param {number} row @param {number} col */
export const valueAt = ({ values, cols, coarse }, row, col) =>
  coarse ? coarse.at(row, col) : values[row * cols + col];

/** @param {Picture} picture @param {number} row @param {number} col */
export function isClosed(picture, row, col) {
  if (row >= (picture.realRows ?? Infinity) || col >= (picture.realCols ?? Infinity)) return true;
  return valueAt(picture, row, col) === -Infinity || picture.holes?.[row * picture.cols + col] === -Infinity;
}

/** @param {Picture} picture */
export function hasClosed({ values, holes, coarse, rows, cols, realRows = rows, realCols = cols }) {
  const own = /** @type {number[][]} */ ([coarse?.values ?? values, holes ?? []]);
  return realRows < rows || realCols < cols || own.some((each) => each.includes(-Infinity));
}

/** @param {Picture} picture */
export function extent(picture) {
  const { values, holes, cols } = picture;
  const { rows, wide } = unpadded(picture);
  let [least, most] = [0, 0];
  for (let row = 0; row < rows; row++) {
    for (let at = row * cols, end = at + wide; at < end; at++) {
      const value = values[at];
      if (value <= most && value >= least) continue;
      if (!Number.isFinite(value) || holes?.[at] === -Infinity) continue;
      if (value > most) most = value;
      else least = value;
    }
  }
  return { size: Math.max(most, -least), most };
}

/** @param {Picture} picture */
function unpadded({ rows, cols, realRows = rows, realCols = cols }) {
  return { rows: Math.min(rows, realRows), wide: Math.min(cols, realCols) };
}

/** @param {number} value @param {Scale} scale @returns 0 to 255 */
export function colorIndex(value, scale) {
  const index = (value - scale.low) * steps(scale);
  return nearest(scale.root ? rooted(index) : index);
}

/** @param {Scale} scale */
const steps = ({ low, high }) => 255 / (high - low || 1);

/** Square-root scale: the lowest quarter of the range has half of the colours. @param {number} index */
const rooted = (index) => Math.sqrt(255 * Math.max(0, index));

/** @param {Scale} scale */
export const middleOf = ({ low, high, root }) => low + (high - low) / (root ? 4 : 2);

/** @param {number} index */
const nearest = (index) => Math.max(0, Math.min(255, Math.round(index))) || 0;

/** @param {Picture} picture @param {Scale} scale @param {number} row */
export function scaleOfRow(picture, scale, row) {
  if (!scale.byRow) return scale;
  let most = 0;
  for (let col = 0; col < picture.cols; col++) {
    most = Math.max(most, valueAt(picture, row, col));
  }
  return { low: 0, high: most || 1 };
}

/**
 * @param {HTMLCanvasElement | OffscreenCanvas} canvas @param {Picture} picture @param {Palette} colors
 * @param {Scale} scale @param {number} width device pixels @param {number} height @returns {void}
 */
export function paint(canvas, picture, colors, scale, width, height) {
  if (picture.coarse) return picture.coarse.paint(canvas, picture, colors, scale, width, height);
  canvas.width = width;
  canvas.height = height;
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  const [wide, high] = [Math.min(picture.cols, width), Math.min(picture.rows, height)];
  const small = image(picture, colors, scale, wide, high);
  if (wide === width && high === height) return context.putImageData(small, 0, 0);
  const bitmap = new OffscreenCanvas(wide, high);
  const ink = /** @type {OffscreenCanvasRenderingContext2D} */ (bitmap.getContext("2d"));
  ink.putImageData(small, 0, 0);
  context.imageSmoothingEnabled = false;
  context.drawImage(bitmap, 0, 0, width, height);
}

/**
 * Draws the strongest of cells that share a pixel; a mean would hide it.
 * @param {Picture} picture @param {Palette} colors @param {Scale} scale @param {number} width @param {number} height
 */
function image(picture, colors, scale, width, height) {
  const data = new ImageData(width, height);
  const pixels = new Uint32Array(data.data.buffer);
  const strengths = new Float64Array(width * height).fill(-1);
  const indices = new Float64Array(width * height);
  const middle = scale.low < 0 ? 127.5 : 0;
  const { values, holes, cols } = picture;
  const { rows, wide } = unpadded(picture);
  const places = new Int32Array(wide);
  for (let col = 0; col < wide; col++) places[col] = Math.floor((col * width) / cols);
  for (let row = 0; row < rows; row++) {
    const line = Math.floor((row * height) / picture.rows) * width;
    const own = scaleOfRow(picture, scale, row);
    const [low, step] = [own.low, steps(own)];
    for (let col = 0, from = row * cols; col < wide; col++, from++) {
      if (values[from] === -Infinity || (holes && holes[from] === -Infinity)) continue;
      const at = line + places[col];
      const even = (values[from] - low) * step;
      const index = own.root ? rooted(even) : even;
      const strength = Math.abs(index - middle);
      if (strength <= strengths[at]) continue;
      strengths[at] = strength;
      indices[at] = index;
    }
  }
  for (let at = 0; at < pixels.length; at++) {
    if (strengths[at] !== -1) pixels[at] = colors.pixels[nearest(indices[at])];
  }
  return data;
}

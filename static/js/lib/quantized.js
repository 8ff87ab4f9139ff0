/**
 * Pictures whose numbers are quantised to bytes: 0 to 254 span the range, 255 is closed. Each byte is a "point": a
 * cell, or the strongest cell of a rectangle.
 */

import { colorIndex, extent, paint } from "./paint.js";

const CLOSED = 255;
const SHORTEST = 3; // characters; narrower cells show no numbers
const MOST = 8; // most heads whose exact numbers are requested
export const MOST_LINES = 32; // most rows or columns of all heads in a request
export const STEPS = 254;

const NONE = new Float32Array(0);

export class QuantizedMap {
  /** @param {Uint8Array} bytes @param {Quantized} frame */
  constructor(bytes, { cells, points, side, range, size = 0, spacing = "even" }) {
    this.size = size;
    this.points = points;
    this.side = side;
    const [low, high] = range;
    this.low = low;
    this.spread = high - low;
    this.root = spacing === "root";
    this.extent = { size: Math.max(Math.abs(low), Math.abs(high)), most: Math.max(high, 0) };
    /** @type {Uint8Array | null} null if heads are combined */
    this.bytes = bytes;
    /** @type {Float32Array | null} */
    this.numbers = null;
    /** @type {(row: number, col: number) => number | undefined} exact number: −∞ if closed, undefined until fetched */
    this.known = () => undefined;
    /** @type {NumberSource | null} */
    this.source = null;
    /** @type {object[]} stage, layer, head and batch of each combined head */
    this.places = [];
    this.block = { rows: cells[0], cols: cells[1], values: NONE, coarse: this };
  }

  get values() {
    if (this.numbers) return this.numbers;
    const [bytes, levels] = [/** @type {Uint8Array} */ (this.bytes), this.levels];
    this.numbers = new Float32Array(bytes.length);
    for (let at = 0; at < bytes.length; at++) this.numbers[at] = levels[bytes[at]];
    return this.numbers;
  }

  get levels() {
    const levels = new Float32Array(CLOSED + 1).fill(-Infinity);
    for (let byte = 0; byte < CLOSED; byte++) levels[byte] = this.level(byte);
    return levels;
  }

  get ownExtent() {
    const bytes = /** @type {Uint8Array} */ (this.bytes);
    let [least, most] = [CLOSED, 0];
    for (let at = 0; at < bytes.length; at++) {
      if (bytes[at] < least) least = bytes[at];
      if (bytes[at] > most && bytes[at] !== CLOSED) most = bytes[at];
    }
    if (least === CLOSED) return { size: 0, most: 0 };
    const [low, high] = [Math.min(0, this.level(least)), Math.max(0, this.level(most))];
    return { size: Math.max(high, -low), most: high };
  }

  get isWhole() {
    return this.side[0] * this.side[1] === 1;
  }

  /** @param {Translate} t */
  label(t) {
    const [rows, cols] = this.side;
    return t(this.isWhole ? "legend.quantised" : "legend.squares", { rows, cols });
  }

  /** @param {NumberSource} source @param {object} place */
  setSource(source, place) {
    this.source = source;
    this.places = [place];
    this.known = source.of(place);
  }

  get mayRequest() {
    return this.source !== null && this.places.length <= MOST;
  }

  /**
   * Requests missing exact numbers. True if none are missing.
   * @param {string} reader has one request at a time @param {Span} rows @param {Span} cols
   */
  request(reader, rows, cols) {
    if (!this.mayRequest) return false;
    const regions = this.places.map((place) => ({ ...place, rows, cols }));
    return this.source?.want(reader, regions) ?? false;
  }

  get arrivalKey() {
    const { rows, cols } = this.block;
    return `${this.size} ${[this.known(0, 0), this.known(rows - 1, cols - 1)].includes(undefined)}`;
  }

  /**
   * The picture with exact numbers. Its `rows` is 0 if numbers are missing or cells are narrow or share points.
   * @param {Picture} picture @param {number} room characters that fit into a cell
   */
  exact(picture, room) {
    const { rows, cols } = picture;
    const reader = `cells of ${/** @type {any} */ (this.places[0])?.stage}, ${this.places.length}`;
    if (room < SHORTEST || !this.isWhole || !this.request(reader, [0, rows], [0, cols])) return { ...picture, rows: 0 };
    const values = Float64Array.from({ length: rows * cols }, (_, at) => this.at(Math.floor(at / cols), at % cols));
    return { ...picture, coarse: undefined, values };
  }

  /** As `request`, for whole rows or columns. @param {string} reader @param {"query" | "key"} axis @param {number[]} at */
  readLines(reader, axis, at) {
    if (this.places.length * at.length > MOST_LINES) return false;
    return this.source?.want(reader, this.linesAt(axis, at)) ?? false;
  }

  /** @param {"query" | "key"} axis @param {number[]} at */
  linesAt(axis, at) {
    const { rows, cols } = this.block;
    return at.flatMap((each) => {
      /** @type {Span} */
      const one = [each, each + 1];
      const span = axis === "query" ? { rows: one, cols: [0, cols] } : { rows: [0, rows], cols: one };
      return this.places.map((place) => ({ ...place, ...span }));
    });
  }

  /** @param {number} byte */
  level(byte) {
    const part = byte / STEPS;
    return this.low + this.spread * (this.root ? part ** 2 : part);
  }

  /** How many decimals of a number survive quantisation. @param {number} value */
  decimalsOf(value) {
    const part = Math.max(0, (value - this.low) / (this.spread || 1));
    const byte = Math.round(STEPS * (this.root ? Math.sqrt(part) : part));
    const step = this.level(byte + 1) - this.level(byte);
    return step > 0 ? Math.max(0, Math.ceil(-Math.log10(step))) : 0;
  }

  /** @param {number} row @param {number} col */
  pointOf(row, col) {
    return this.values[Math.floor(row / this.side[0]) * this.points[1] + Math.floor(col / this.side[1])];
  }

  /** @param {number} row @param {number} col */
  at(row, col) {
    return this.known(row, col) ?? this.pointOf(row, col);
  }

  /** A picture whose cells are the points. A point may cover both padding and other cells. @param {Picture} picture */
  asPoints(picture) {
    return { values: this.values, ...this.sizes(picture) };
  }

  /** @param {Picture} picture */
  sizes({ rows, cols, realRows = rows, realCols = cols }) {
    const [high, wide] = this.points;
    const [down, across] = this.side;
    return { rows: high, cols: wide, realRows: Math.ceil(realRows / down), realCols: Math.ceil(realCols / across) };
  }

  /**
   * The last cell of a point that is not padding.
   * @param {Picture} picture @param {RowCol} point
   */
  cellOf({ rows, cols, realRows = rows, realCols = cols }, { row, col }) {
    const last = (/** @type {number} */ at, /** @type {number} */ side, /** @type {number} */ end) =>
      Math.min(end, (at + 1) * side) - 1;
    return {
      row: last(row, this.side[0], Math.min(rows, realRows)),
      col: last(col, this.side[1], Math.min(cols, realCols)),
    };
  }

  /**
   * Clips points that reach beyond the last cell.
   * @param {HTMLCanvasElement | OffscreenCanvas} canvas @param {Picture} picture @param {Palette} colors
   * @param {Scale} scale @param {number} width @param {number} height
   */
  paint(canvas, picture, colors, scale, width, height) {
    const sizes = this.sizes(picture);
    const wide = Math.round((width * sizes.cols * this.side[1]) / picture.cols);
    const high = Math.round((height * sizes.rows * this.side[0]) / picture.rows);
    const pixels = this.bytes && !scale.byRow && wide <= sizes.cols && high <= sizes.rows;
    if (wide === width && high === height && !pixels)
      return paint(canvas, this.asPoints(picture), colors, scale, width, height);
    /** @type {ImageData | OffscreenCanvas} */
    let whole;
    if (pixels) whole = this.inPixels(sizes, colors, scale, wide, high);
    else paint((whole = new OffscreenCanvas(wide, high)), this.asPoints(picture), colors, scale, wide, high);
    canvas.width = width;
    canvas.height = height;
    const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    if (whole instanceof ImageData) context.putImageData(whole, 0, 0);
    else context.drawImage(whole, 0, 0);
  }

  /**
   * Draws the strongest point of each pixel.
   * @param {ReturnType<QuantizedMap["sizes"]>} sizes @param {Palette} colors @param {Scale} scale not `byRow`
   * @param {number} width @param {number} height
   */
  inPixels({ rows, cols, realRows, realCols }, colors, scale, width, height) {
    const data = new ImageData(width, height);
    const pixels = new Uint32Array(data.data.buffer);
    const bytes = /** @type {Uint8Array} */ (this.bytes);
    const [inks, strengths] = [new Uint32Array(CLOSED), new Float32Array(CLOSED)];
    const middle = scale.low < 0 ? 127.5 : 0;
    for (let byte = 0; byte < CLOSED; byte++) {
      const index = colorIndex(this.level(byte), scale);
      inks[byte] = colors.pixels[index];
      strengths[byte] = 1 + Math.abs(index - middle);
    }
    const strongest = new Float32Array(width * height);
    const places = new Int32Array(Math.min(cols, realCols));
    for (let col = 0; col < places.length; col++) places[col] = Math.floor((col * width) / cols);
    for (let row = 0; row < Math.min(rows, realRows); row++) {
      const line = Math.floor((row * height) / rows) * width;
      for (let col = 0, from = row * cols; col < places.length; col++, from++) {
        const byte = bytes[from];
        const at = line + places[col];
        if (byte === CLOSED || strengths[byte] <= strongest[at]) continue;
        strongest[at] = strengths[byte];
        pixels[at] = inks[byte];
      }
    }
    return data;
  }
}

/**
 * Merges pictures of heads; null if their points differ in number or size.
 * @param {QuantizedMap[]} parts @param {boolean} sum true: mean, false: maximum @returns {QuantizedMap | null}
 */
export function mergePictures(parts, sum) {
  const [first] = parts;
  if (parts.some(({ points, side }) => `${points} ${side}` !== `${first.points} ${first.side}`)) return null;
  const values = new Float32Array(first.values.length).fill(-Infinity);
  /** @param {number} all @param {number} each */
  const joined = (all, each) => {
    if (each === -Infinity || all === -Infinity) return Math.max(sum ? each / parts.length : each, all);
    return sum ? all + each / parts.length : Math.max(all, each);
  };
  for (const part of parts) {
    for (let at = 0; at < values.length; at++) values[at] = joined(values[at], part.values[at]);
  }
  const [rows, cols] = first.points;
  const known = (/** @type {number} */ row, /** @type {number} */ col) => {
    const numbers = parts.map((part) => part.known(row, col));
    return numbers.includes(undefined) ? undefined : /** @type {number[]} */ (numbers).reduce(joined, -Infinity);
  };
  const places = parts.flatMap((part) => part.places);
  const own = { bytes: null, numbers: values, known, places, extent: extent({ values, rows, cols }) };
  return Object.assign(Object.create(QuantizedMap.prototype), first, own);
}

/** Side of points in cells, a power of two. @param {number} cells along an axis @param {number} points at most */
export function sideFor(cells, points) {
  let side = 1;
  while (Math.ceil(cells / side) > points) side *= 2;
  return side;
}

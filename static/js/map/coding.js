/**
 * Numbers of a map as codes of 8 bits: 0 to 254 from the lowest to the highest, 255 a closed cell. What is seen of a
 * code is a colour, what is read of it is its number, rounded to the nearest code.
 */

/** @typedef {import("../lib/palette.js").Palette} Palette */
/** @typedef {"even" | "root" | "log"} Spacing of codes: even, or the square root of the way from low to high is, or factors are */
/** @typedef {{low: number, high: number, spacing: Spacing}} Coding */
/** @typedef {"auto" | "linear" | "log"} Ramp */

/**
 * How codes become colours.
 * @typedef {Object} Scale
 * @property {number} low the number of the first colour
 * @property {number} high of the last
 * @property {"even" | "root" | "log" | "signed_log"} by how far along a number is
 */

export const CLOSED = 255;
const LAST = 254;
const DECADES = 6; // of weights that a logarithmic picture tells apart
const NEAR = 1000; // a signed logarithm is even up to this part of the largest number
const FEW = 64; // keys over which weights are told apart from 0 to 1 without a root, as on the cards

/**
 * How the codes of a map are spaced: those of weights as their colours are, so that small ones are told apart.
 * @param {boolean} weights
 * @param {Ramp} ramp
 * @param {number} m keys
 * @returns {Spacing}
 */
export function spacingOf(weights, ramp, m) {
  if (!weights || ramp === "linear") return "even";
  if (ramp === "log") return "log";
  return m > FEW ? "root" : "even";
}

/** @param {{min: number, max: number}} range of the open cells @param {Spacing} spacing @returns {Coding} */
export const codingOf = ({ min, max }, spacing) =>
  spacing === "log" ? byFactors({ max }) : { low: min, high: max, spacing };

/** @param {{max: number}} range @returns {Coding} weights by equal factors, down to a millionth of the largest */
export function byFactors({ max }) {
  const high = max > 0 ? max : 1;
  return { low: high / 10 ** DECADES, high, spacing: "log" };
}

/** The number of every code. @param {Coding} coding @returns {Float64Array} closed cells are NaN */
export function valuesOf({ low, high, spacing }) {
  const part = (/** @type {number} */ code) => code / LAST;
  const value = {
    even: (/** @type {number} */ code) => low + (high - low) * part(code),
    root: (/** @type {number} */ code) => low + (high - low) * part(code) ** 2,
    log: (/** @type {number} */ code) => (code ? low * (high / low) ** part(code) : 0),
  }[spacing];
  return Float64Array.from({ length: 256 }, (_, code) => (code === CLOSED ? NaN : value(code)));
}

/**
 * Weights as codes by equal factors; the smallest code is also all that is below it.
 * @param {ArrayLike<number>} values
 * @param {Coding} coding
 * @param {ArrayLike<number>} even the same cells as the server codes them: these say which are closed
 */
export function coded(values, { low, high }, even) {
  const codes = new Uint8Array(values.length);
  const [from, steps] = [Math.log(low), LAST / Math.log(high / low)];
  for (let at = 0; at < values.length; at++) {
    const value = values[at];
    if (even[at] === CLOSED) codes[at] = CLOSED;
    else if (value > low) codes[at] = Math.min(LAST, Math.round((Math.log(value) - from) * steps));
  }
  return codes;
}

/**
 * The scale of a map's colours. Weights have those of the cards unless the reader chooses: from 0 to 1, over many keys by
 * the root. All else is centred on zero.
 * @param {boolean} weights
 * @param {Ramp} ramp
 * @param {{min: number, max: number, m: number}} map
 * @returns {Scale}
 */
export function scaleOf(weights, ramp, { min, max, m }) {
  if (!weights) {
    const size = Math.max(Math.abs(min), Math.abs(max)) || 1;
    return { low: -size, high: size, by: ramp === "log" ? "signed_log" : "even" };
  }
  const { low, high } = byFactors({ max });
  if (ramp === "log") return { low, high, by: "log" };
  if (ramp === "linear") return { low: 0, high, by: "even" };
  return { low: 0, high: 1, by: m > FEW ? "root" : "even" };
}

/** How far along the colours a number is, from 0 to 1. @param {number} value @param {Scale} scale */
export function along(value, { low, high, by }) {
  if (by === "log") return value <= low ? 0 : Math.min(1, Math.log(value / low) / Math.log(high / low));
  if (by === "signed_log") {
    const part = Math.log1p((NEAR * Math.abs(value)) / high) / Math.log1p(NEAR);
    return 0.5 + 0.5 * Math.sign(value) * Math.min(1, part);
  }
  const part = Math.max(0, Math.min(1, (value - low) / (high - low || 1)));
  return by === "root" ? Math.sqrt(part) : part;
}

/** The number that far along the colours. @param {number} part from 0 to 1 @param {Scale} scale */
export function numberAlong(part, { low, high, by }) {
  if (by === "log") return low * (high / low) ** part;
  if (by === "signed_log") {
    const far = 2 * part - 1;
    return (Math.sign(far) * high * Math.expm1(Math.abs(far) * Math.log1p(NEAR))) / NEAR;
  }
  return low + (high - low) * (by === "root" ? part ** 2 : part);
}

/** Which of 256 colours a number has. @param {number} value @param {Scale} scale */
export const colorOf = (value, scale) => Math.round(255 * along(value, scale));

/**
 * The pixel of every code; closed cells are transparent, so that the hatch behind them is seen.
 * @param {Float64Array} values of the codes
 * @param {Scale} scale
 * @param {Palette} colors
 */
export const pixelsOf = (values, scale, colors) =>
  Uint32Array.from(values, (value) => (Number.isNaN(value) ? 0 : colors.pixels[colorOf(value, scale)]));

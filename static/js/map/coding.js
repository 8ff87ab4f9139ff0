/**
 * Numbers of a map as codes of 8 bits: 0 to 254 from the lowest to the highest, 255 a closed cell. What is seen of a
 * code is a colour, and decodes to its number, rounded to the nearest code.
 */

/** @typedef {import("../lib/palette.js").Palette} Palette */
/** @typedef {"even" | "root" | "log"} Spacing of codes: they go by the number, its square root or its logarithm */
/** @typedef {{low: number, high: number, spacing: Spacing}} Coding */
/** @typedef {"auto" | "linear" | "root" | "log"} Ramp as it is chosen */

/**
 * How numbers become colours.
 * @typedef {Object} Scale
 * @property {number} low the number of the first colour
 * @property {number} high of the last
 * @property {"even" | "root" | "log" | "signed_log"} by how far along a number is
 */

export const CLOSED = 255;
const LAST = 254;
const FINEST = 1e6; // the largest weight over the smallest one that the logarithm distinguishes from 0
const NEAR = 1000; // a signed logarithm is even up to this part of the largest number
const FEW = 64; // keys up to which weights are even from 0 to 1; beyond, by the root, as on the cards
const MANY = 4096; // beyond which nearly all of them would be one pale colour

/**
 * The colours of weights: the chosen ones, or by the number of keys.
 * @param {Ramp} ramp
 * @param {number} m keys
 * @returns {"fixed" | "linear" | "root" | "log"}
 */
export function rampOf(ramp, m) {
  if (ramp !== "auto") return ramp;
  if (m <= FEW) return "fixed";
  return m <= MANY ? "root" : "log";
}

/**
 * How the codes of a map are spaced: those of weights as their colours, so that small ones differ.
 * @param {boolean} weights
 * @param {Ramp} ramp
 * @param {number} m keys
 * @returns {Spacing}
 */
export function spacingOf(weights, ramp, m) {
  const own = rampOf(ramp, m);
  return weights && (own === "root" || own === "log") ? own : "even";
}

/** The number of every code. @param {Coding} coding @returns {Float64Array} closed cells are NaN */
export function valuesOf({ low, high, spacing }) {
  const part = {
    even: (/** @type {number} */ along) => along,
    root: (/** @type {number} */ along) => along ** 2,
    log: (/** @type {number} */ along) => Math.expm1(along * Math.log1p(FINEST)) / FINEST,
  }[spacing];
  const value = (/** @type {number} */ code) => low + (high - low) * part(code / LAST);
  return Float64Array.from({ length: 256 }, (_, code) => (code === CLOSED ? NaN : value(code)));
}

/**
 * The scale of a map's colours. Weights have those of the cards unless others are chosen; all else is centred on zero.
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
  const own = rampOf(ramp, m);
  const most = max > 0 ? max : 1;
  if (own === "log") return { low: most / FINEST, high: most, by: "log" };
  return { low: 0, high: own === "linear" ? most : 1, by: own === "root" ? "root" : "even" };
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

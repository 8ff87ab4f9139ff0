/** Codes of 8 bits: 0 is the lowest number, 254 the highest, 255 a closed cell. */

/** @typedef {{low: number, high: number, spacing: Maps.Spacing}} Coding */

export const CLOSED = 255;
export const LAST = 254;
const FINEST = 1e6; // largest / smallest weight of a logarithmic scale
const NEAR = 1000; // signed logarithmic scales are almost linear below high / NEAR
const FEW = 64; // most keys with colours from 0 to 1, as on the cards
const MANY = 4096; // most keys with square-root colours; with more, logarithmic

/** @param {Maps.Ramp} ramp @param {number} m keys */
export function rampOf(ramp, m) {
  if (ramp !== "auto") return ramp;
  if (m <= FEW) return "fixed";
  return m <= MANY ? "root" : "log";
}

/** @param {boolean} weights @param {Maps.Ramp} ramp @param {number} m @returns {Maps.Spacing} */
export function spacingOf(weights, ramp, m) {
  const own = rampOf(ramp, m);
  return weights && (own === "root" || own === "log") ? own : "even";
}

/** Number of each code; NaN for CLOSED. @param {Coding} coding @returns {Float64Array} */
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
 * Scales of scores are centred on 0; scales of weights start at or near 0.
 * @param {boolean} weights @param {Maps.Ramp} ramp @param {{min: number, max: number, m: number}} map
 * @returns {Maps.Scale}
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

/** @param {number} value @param {Maps.Scale} scale */
export function positionOn(value, { low, high, by }) {
  if (by === "log") return value <= low ? 0 : Math.min(1, Math.log(value / low) / Math.log(high / low));
  if (by === "signed_log") {
    const part = Math.log1p((NEAR * Math.abs(value)) / high) / Math.log1p(NEAR);
    return 0.5 + 0.5 * Math.sign(value) * Math.min(1, part);
  }
  const part = Math.max(0, Math.min(1, (value - low) / (high - low || 1)));
  return by === "root" ? Math.sqrt(part) : part;
}

/** Inverse of `positionOn`. @param {number} part @param {Maps.Scale} scale */
export function numberAt(part, { low, high, by }) {
  if (by === "log") return low * (high / low) ** part;
  if (by === "signed_log") {
    const far = 2 * part - 1;
    return (Math.sign(far) * high * Math.expm1(Math.abs(far) * Math.log1p(NEAR))) / NEAR;
  }
  return low + (high - low) * (by === "root" ? part ** 2 : part);
}

/** @param {number} value @param {Maps.Scale} scale */
export const colorOf = (value, scale) => Math.round(255 * positionOn(value, scale));

/**
 * Closed cells are transparent and show the hatch.
 * @param {Float64Array} values @param {Maps.Scale} scale @param {Palette} colors
 */
export const pixelsOf = (values, scale, colors) =>
  Uint32Array.from(values, (value) => (Number.isNaN(value) ? 0 : colors.pixels[colorOf(value, scale)]));

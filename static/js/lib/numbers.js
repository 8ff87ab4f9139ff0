/** Numbers as people read them: a true minus sign, never −0.00, nothing silently rounded to 0. */

const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/**
 * A number with so many decimals; too small or too large for them, it becomes m×10ⁿ.
 * @param {number | null | undefined} value null stands for a masked cell, −∞
 * @param {number} decimals
 * @returns {string}
 */
export function format(value, decimals) {
  if (value === null || value === undefined || value === -Infinity) return "−∞";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "NaN";
  const size = Math.abs(value);
  if (size >= 1e6 || (size > 0 && size < 0.5 * 10 ** -decimals)) return scientific(value, decimals);
  return signed(value.toFixed(decimals));
}

/**
 * A number in the fewest characters that still tell it, for legends and cells.
 * @param {number} value
 * @param {number} decimals
 * @returns {string}
 */
export function short(value, decimals) {
  if (!Number.isFinite(value)) return format(value, decimals);
  if (Math.abs(value) >= 1e4) return scientific(value, 0);
  return signed(String(Number(value.toFixed(Math.max(0, decimals)))));
}

/**
 * A part of one in hundreds, with two digits that tell it: "76 %", "3.2 %". What is not all is never told as 100 %,
 * nor what is not nothing as 0 %: "> 99.9 %", "< 0.01 %".
 * @param {number} part
 */
export function percent(part) {
  const hundreds = 100 * part;
  const nearlyAll = part < 1 && hundreds >= 99.5;
  if (nearlyAll && hundreds > 99.9) return "> 99.9\u202f%";
  if (part > 0 && hundreds < 0.01) return "< 0.01\u202f%";
  return `${hundreds.toFixed(hundreds >= 9.95 && !nearlyAll ? 0 : hundreds >= 0.1 ? 1 : 2)}\u202f%`;
}

/**
 * A power of ten, for an axis.
 * @param {number} value
 */
export function power(value) {
  const exponent = Math.round(Math.log10(value));
  return `10${superscript(exponent)}`;
}

/**
 * Cell text of a fixed width: what rounds to nothing is 0.00, not a power of ten.
 * @param {number} value
 * @param {number} decimals
 * @returns {string}
 */
export function fixed(value, decimals) {
  if (!Number.isFinite(value)) return format(value, decimals);
  if (Math.abs(value) >= 1e4) return scientific(value, 0);
  return signed(value.toFixed(decimals));
}

/**
 * @param {number} value
 * @param {number} decimals
 */
function scientific(value, decimals) {
  const [mantissa, power] = value.toExponential(Math.min(decimals, 2)).split("e");
  return `${signed(mantissa)}×10${superscript(Number(power))}`;
}

/** @param {number} exponent */
function superscript(exponent) {
  const digits = [...String(Math.abs(exponent))].map((digit) => SUPERSCRIPTS[Number(digit)]);
  return (exponent < 0 ? "⁻" : "") + digits.join("");
}

/** @param {string} text */
function signed(text) {
  return /^-0(\.0*)?$/.test(text) ? text.slice(1) : text.replace("-", "−");
}

const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/**
 * Fixed decimals; m×10ⁿ from 10⁶ on, or if the number would round to 0.
 * @param {number | null | undefined} value null: masked @param {number} decimals
 */
export function format(value, decimals) {
  if (value === null || value === undefined || value === -Infinity) return "−∞";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "NaN";
  const size = Math.abs(value);
  if (size >= 1e6 || (size > 0 && size < 0.5 * 10 ** -decimals)) return scientific(value, decimals);
  return signed(value.toFixed(decimals));
}

/** @param {number} value @param {number} decimals */
export function short(value, decimals) {
  if (!Number.isFinite(value)) return format(value, decimals);
  if (Math.abs(value) >= 1e4) return scientific(value, 0);
  return signed(String(Number(value.toFixed(Math.max(0, decimals)))));
}

/** @param {number} value */
export function power(value) {
  const exponent = Math.round(Math.log10(value));
  return `10${superscript(exponent)}`;
}

/** @param {number} value @param {number} decimals */
export function scientific(value, decimals) {
  const [mantissa, power] = value.toExponential(Math.min(decimals, 2)).split("e");
  return `${signed(mantissa)}×10${superscript(Number(power))}`;
}

/** @param {number} exponent */
function superscript(exponent) {
  const digits = [...String(Math.abs(exponent))].map((digit) => SUPERSCRIPTS[Number(digit)]);
  return (exponent < 0 ? "⁻" : "") + digits.join("");
}

/** @param {string} text */
export function signed(text) {
  return /^-0(\.0*)?$/.test(text) ? text.slice(1) : text.replace("-", "−");
}

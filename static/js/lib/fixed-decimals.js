import { format, scientific, signed } from "./numbers.js";

/** @param {number} value @param {number} decimals */
export function formatFixed(value, decimals) {
  if (!Number.isFinite(value)) return format(value, decimals);
  if (Math.abs(value) >= 1e4) return scientific(value, 0);
  return signed(value.toFixed(decimals));
}

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"];

/** @param {number} bytes */
export function formatBytes(bytes) {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(bytes, 1)) / 10));
  const value = bytes / 1024 ** power;
  const text = value >= 1e5 ? value.toExponential(1) : Number.isInteger(value) ? String(value) : value.toFixed(1);
  return `${text} ${UNITS[power]}`;
}

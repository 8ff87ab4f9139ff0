/**
 * Hues of neighbouring heads are a golden angle apart: they differ clearly.
 * @param {Place} place @param {string} theme
 */
export function colorOfHead({ layer, head }, theme) {
  const hue = ((head + 5 * layer) * 137.508 + 255) % 360;
  return `oklch(${theme === "dark" ? 0.76 : 0.52} 0.15 ${hue.toFixed(1)})`;
}

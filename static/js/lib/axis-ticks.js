/** Evenly spaced round numbers from 0 to `most`, at most `count` + 1. @param {number} most @param {number} count */
export function ticks(most, count) {
  if (!(most > 0) || !Number.isFinite(most)) return [0];
  const rough = most / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = /** @type {number} */ ([1, 2, 5, 10].find((each) => each * power >= rough)) * power;
  return Array.from({ length: Math.floor(most / step + 1e-9) + 1 }, (_, at) => at * step);
}

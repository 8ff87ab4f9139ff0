/** Evenly spaced round numbers from 0 to `most`, at most `count` + 1. @param {number} most @param {number} count */
export function ticks(most, count) {
  if (!(most > 0) || !Number.isFinite(most)) return [0];
  const rough = most / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = /** @type {number} */ ([1, 2, 5, 10].find((each) => each * power >= rough)) * power;
  return Array.from({ length: Math.floor(most / step + 1e-9) + 1 }, (_, at) => at * step);
}

/**
 * Logarithmic axis between powers of ten around the values above 1e-12 and 10 ** `powers`; at most six ticks.
 * @param {(number | null)[]} values @param {number[]} [powers]
 */
export function logarithmicAxis(values, powers = []) {
  const positive = values.map(Number).filter((value) => value > 1e-12);
  const all = [...positive.map(Math.log10), ...powers];
  const low = Math.floor(Math.min(...(all.length ? all : [0])));
  const high = Math.max(low + 1, Math.ceil(Math.max(...all)));
  const step = Math.ceil((high - low) / 5);
  const first = Math.ceil(low / step);
  const ticks = Array.from({ length: Math.floor(high / step) - first + 1 }, (_, at) => 10 ** ((first + at) * step));
  return { low: 10 ** low, high: 10 ** high, log: true, ticks };
}

/**
 * Step between named tokens: a power of two, so that names stay when zooming adds others.
 * @param {number} pitch @param {number} least
 */
export const nameStep = (pitch, least) => Math.max(1, 2 ** Math.ceil(Math.log2(least / pitch) - 1e-9));

/** @param {Span} span @param {number} every */
export function namedTokens([start, end], every) {
  const first = Math.ceil(start / every) * every;
  return Array.from({ length: Math.max(0, Math.ceil((end - first) / every)) }, (_, at) => first + at * every);
}

/** @param {string} name @param {number} room @param {(text: string) => number} measure */
export function truncate(name, room, measure) {
  if (measure(name) <= room) return name;
  const signs = [...name];
  let [fits, not] = [0, signs.length];
  while (not - fits > 1) {
    const middle = (fits + not) >> 1;
    if (measure(`${signs.slice(0, middle).join("")}…`) <= room) fits = middle;
    else not = middle;
  }
  return fits ? `${signs.slice(0, fits).join("")}…` : signs[0];
}

/** Which names stand on an axis: as many as have room, at places that stay the same while the map moves. */

/**
 * How many tokens from one written name to the next: 1, 2, 4 …
 * @param {number} pitch CSS pixels from one token to the next
 * @param {number} least from one name to the next
 */
export const everyFor = (pitch, least) => Math.max(1, 2 ** Math.ceil(Math.log2(least / pitch) - 1e-9));

/**
 * The tokens that are named.
 * @param {[number, number]} span [start, end) of those in sight
 * @param {number} every
 * @returns {number[]}
 */
export function namedIn([start, end], every) {
  const first = Math.ceil(start / every) * every;
  return Array.from({ length: Math.max(0, Math.ceil((end - first) / every)) }, (_, at) => first + at * every);
}

/**
 * A name cut to the room there is.
 * @param {string} name
 * @param {number} room
 * @param {(text: string) => number} measure width of a text
 */
export function cutTo(name, room, measure) {
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

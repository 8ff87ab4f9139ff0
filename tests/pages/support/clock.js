/** Retries without waiting: the long pauses of a page. */

const LONG = 1000; // ms

/**
 * Shortens every pause of an opened page that lasts a second or more.
 * @param {{window: any}} page
 * @returns {number[]} the pauses as the page asked for them, in seconds
 */
export function hurry({ window }) {
  const pauses = [];
  const wait = window.setTimeout;
  window.setTimeout = (run, pause = 0, ...rest) => {
    if (pause < LONG) return wait(run, pause, ...rest);
    pauses.push(pause / 1000);
    return wait(run, 1, ...rest);
  };
  return pauses;
}

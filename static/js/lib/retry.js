/** Retries after 1, 2, 4, 8, then every 15 seconds, or earlier on `wake`. */

const FIRST = 1; // seconds
const LONGEST = 15;

/** @param {number} ms */
export const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** @type {((woken: true) => void)[]} */
const waiting = [];

/** Ends all pauses of `pauseUntilWoken`. */
export function wake() {
  for (const end of waiting.splice(0)) end(true);
}

/** @param {number} ms @returns {Promise<boolean | void>} true if `wake` ended the pause */
export const pauseUntilWoken = (ms) => Promise.race([wait(ms), new Promise((end) => waiting.push(end))]);

/** @param {number} pause previous pause in seconds, or 0 */
export const nextPause = (pause) => Math.min(LONGEST, 2 * pause || FIRST);

/**
 * @template Found @param {() => Promise<Found>} attempt
 * @param {(error: unknown, tries: number) => boolean | Promise<boolean>} goesOn
 */
export async function retry(attempt, goesOn) {
  let pause = 0;
  let woken = false;
  for (let tries = 1; ; tries++) {
    try {
      const found = await attempt();
      if (pause) wake();
      return found;
    } catch (error) {
      if (!(await goesOn(error, tries))) throw error;
      pause = nextPause(pause);
      // After a failed early try, wait the full pause.
      woken = await (woken ? wait : pauseUntilWoken)(1000 * pause);
    }
  }
}

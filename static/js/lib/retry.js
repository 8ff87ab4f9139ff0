/** Retries after 1, 2, 4 … 15 seconds, and as soon as the server answers anything. */

const FIRST = 1;
const LONGEST = 15;

/** @param {number} ms */
export const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** @type {((woken: true) => void)[]} */
const waiting = [];

/** Ends every `patience`: the server answers again. */
export function wake() {
  for (const end of waiting.splice(0)) end(true);
}

/** @param {number} ms @returns {Promise<boolean | void>} whether woken before the time is up */
export const patience = (ms) => Promise.race([wait(ms), new Promise((end) => waiting.push(end))]);

/** @param {number} pause last one, seconds; 0: none */
export const longer = (pause) => Math.min(LONGEST, 2 * pause || FIRST);

/**
 * @template Found @param {() => Promise<Found>} attempt
 * @param {(error: unknown, tries: number) => boolean | Promise<boolean>} goesOn gets error and count
 * @throws the last error
 */
export async function retried(attempt, goesOn) {
  let pause = 0;
  let woken = false;
  for (let tries = 1; ; tries++) {
    try {
      const found = await attempt();
      if (pause) wake();
      return found;
    } catch (error) {
      if (!(await goesOn(error, tries))) throw error;
      pause = longer(pause);
      // After an early try that failed, wait the full time.
      woken = await (woken ? wait : patience)(1000 * pause);
    }
  }
}

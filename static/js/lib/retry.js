/** Retries after 1, 2, 4 … 15 seconds. */

const FIRST = 1;
const LONGEST = 15;

/** @param {number} ms */
export const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** @param {number} pause last one, seconds; 0: none */
export const longer = (pause) => Math.min(LONGEST, 2 * pause || FIRST);

/**
 * @template Found @param {() => Promise<Found>} attempt
 * @param {(error: unknown, tries: number) => boolean | Promise<boolean>} goesOn gets error and count
 * @throws the last error
 */
export async function retried(attempt, goesOn) {
  let pause = 0;
  for (let tries = 1; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      if (!(await goesOn(error, tries))) throw error;
      pause = longer(pause);
      await wait(1000 * pause);
    }
  }
}

/** Scripts that are fetched when they are first used: while the server is gone they are asked for again. */

const FIRST = 1; // seconds
const LONGEST = 15;

/**
 * @template Module
 * @param {() => Promise<Module>} load an import()
 * @param {() => void} [gone] told once, when the server does not answer
 * @returns {Promise<Module>}
 */
export async function fetched(load, gone) {
  for (let pause = FIRST; ; pause = Math.min(LONGEST, 2 * pause)) {
    try {
      return await load();
    } catch (error) {
      // Every browser says of a script that did not come that it is a TypeError; else it is broken.
      if (!(error instanceof TypeError)) throw error;
      if (pause === FIRST) gone?.();
      await new Promise((resolve) => setTimeout(resolve, 1000 * pause));
    }
  }
}

/** Scripts that are fetched when they are first used: while the server is gone they are asked for again. */

const FIRST = 1; // seconds
const LONGEST = 15;

let isReplaced = async () => false;

/** @param {() => Promise<boolean>} ask whether the scripts of this page are gone for good: then none is asked for again */
export function giveUpWhen(ask) {
  isReplaced = ask;
}

/**
 * @template Module
 * @param {() => Promise<Module>} load an import()
 * @param {(replaced: boolean) => void} [gone] told when it does not come: once, and again when it never will
 * @returns {Promise<Module>} settled never, where the server has another version of the page
 */
export async function fetched(load, gone) {
  for (let pause = FIRST; ; pause = Math.min(LONGEST, 2 * pause)) {
    try {
      return await load();
    } catch (error) {
      // Every browser says of a script that did not come that it is a TypeError; else it is broken.
      if (!(error instanceof TypeError)) throw error;
      const replaced = await isReplaced();
      if (replaced || pause === FIRST) gone?.(replaced);
      if (replaced) return new Promise(() => {});
      await new Promise((resolve) => setTimeout(resolve, 1000 * pause));
    }
  }
}

/** Scripts that are fetched when they are first used: while the server is gone they are asked for again. */

import { retried } from "./retry.js";

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
export function fetched(load, gone) {
  return retried(load, async (error, tries) => {
    // Every browser says of a script that did not come that it is a TypeError; else it is broken.
    if (!(error instanceof TypeError)) return false;
    const replaced = await isReplaced();
    if (replaced || tries === 1) gone?.(replaced);
    return replaced ? new Promise(() => {}) : true;
  });
}

/**
 * What a page waits for before it draws: null where it will never come, so that the page can say so.
 * @template Module
 * @param {() => Promise<Module>} load an import()
 * @returns {Promise<Module | null>}
 */
export const ifItComes = (load) =>
  new Promise((resolve, reject) => {
    fetched(load, (replaced) => replaced && resolve(null)).then(resolve, reject);
  });

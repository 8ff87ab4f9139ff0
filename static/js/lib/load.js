/** Lazy imports, retried while the server is unreachable. */

import { retried } from "./retry.js";

let isReplaced = async () => false;

/** @param {() => Promise<boolean>} ask whether the server has a newer page: then no retries */
export function giveUpWhen(ask) {
  isReplaced = ask;
}

/**
 * @template Module @param {() => Promise<Module>} load an import()
 * @param {(replaced: boolean) => void} [gone] called at the first failure, and when retrying has ended
 * @returns stays pending if the page was replaced
 */
export function fetched(load, gone) {
  return retried(load, async (error, tries) => {
    // A failed import is a TypeError in every browser.
    if (!(error instanceof TypeError)) return false;
    const replaced = await isReplaced();
    if (replaced || tries === 1) gone?.(replaced);
    return replaced ? new Promise(() => {}) : true;
  });
}

/**
 * Null once retrying has ended.
 * @template Module @param {() => Promise<Module>} load an import() @returns {Promise<Module | null>}
 */
export const ifItComes = (load) =>
  new Promise((resolve, reject) => {
    fetched(load, (replaced) => replaced && resolve(null)).then(resolve, reject);
  });

/** Lazily imported scripts. While the server is unreachable the import is retried. */

import { retried } from "./retry.js";

let isReplaced = async () => false;

/** @param {() => Promise<boolean>} ask whether the server has a new version of this page; then imports are not retried */
export function giveUpWhen(ask) {
  isReplaced = ask;
}

/**
 * @template Module
 * @param {() => Promise<Module>} load an import()
 * @param {(replaced: boolean) => void} [gone] called at the first failure, and again once retrying has ended
 * @returns {Promise<Module>} never settles if the server has another version of the page
 */
export function fetched(load, gone) {
  return retried(load, async (error, tries) => {
    // A failed import is a TypeError in every browser; other errors come from the script itself.
    if (!(error instanceof TypeError)) return false;
    const replaced = await isReplaced();
    if (replaced || tries === 1) gone?.(replaced);
    return replaced ? new Promise(() => {}) : true;
  });
}

/**
 * Import that a page needs before it draws; null if retrying has ended, so that the page can say so.
 * @template Module
 * @param {() => Promise<Module>} load an import()
 * @returns {Promise<Module | null>}
 */
export const ifItComes = (load) =>
  new Promise((resolve, reject) => {
    fetched(load, (replaced) => replaced && resolve(null)).then(resolve, reject);
  });

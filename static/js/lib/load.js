/** Retries lazy imports while the server is unreachable. */

import { retry } from "./retry.js";

let isReplaced = async () => false;

/** Sets the check for a newer page, which ends retries. @param {() => Promise<boolean>} ask */
export function setReplacedCheck(ask) {
  isReplaced = ask;
}

/**
 * @template Module @param {() => Promise<Module>} load an import()
 * @param {(replaced: boolean) => void} [gone] called at the first failure and if the page is replaced
 * @returns never settles if the server has a newer page
 */
export function lazyLoad(load, gone) {
  return retry(load, async (error, tries) => {
    // A failed import is a TypeError in every browser.
    if (!(error instanceof TypeError)) return false;
    const replaced = await isReplaced();
    if (replaced || tries === 1) gone?.(replaced);
    return replaced ? new Promise(() => {}) : true;
  });
}

/**
 * As `lazyLoad`, but resolves to null if the server has a newer page.
 * @template Module @param {() => Promise<Module>} load @returns {Promise<Module | null>}
 */
export const loadOrNull = (load) =>
  new Promise((resolve, reject) => {
    lazyLoad(load, (replaced) => replaced && resolve(null)).then(resolve, reject);
  });

/** Keeps texts in local storage, or in memory if the browser denies local storage. */

/** @type {Map<string, string>} */
const here = new Map();

/** @param {string} name */
export function recalled(name) {
  try {
    return localStorage.getItem(name) ?? here.get(name) ?? null;
  } catch {
    return here.get(name) ?? null;
  }
}

/** @param {string} name @param {string} text */
export function keep(name, text) {
  here.set(name, text);
  try {
    localStorage.setItem(name, text);
  } catch {
    return;
  }
}

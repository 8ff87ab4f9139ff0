/** Values in local storage; without storage they last as long as the page. */

/** @type {Map<string, string>} */
const here = new Map();

/** @param {string} name @returns {string | null} */
export function recalled(name) {
  try {
    return localStorage.getItem(name) ?? here.get(name) ?? null;
  } catch {
    return here.get(name) ?? null; // storage is closed to this page
  }
}

/** @param {string} name @param {string} text */
export function keep(name, text) {
  here.set(name, text);
  try {
    localStorage.setItem(name, text);
  } catch {
    return; // it lasts as long as the page
  }
}

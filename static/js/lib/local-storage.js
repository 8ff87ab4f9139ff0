/** Keeps texts in local storage, or in memory if that is denied or full. */

/** @type {Map<string, string>} texts that local storage did not take */
const here = new Map();

/** @param {string} name */
export function recalled(name) {
  try {
    return here.get(name) ?? localStorage.getItem(name);
  } catch {
    return null;
  }
}

/** @param {string} name @param {string} text */
export function keep(name, text) {
  try {
    localStorage.setItem(name, text);
    here.delete(name); // another window may write later
  } catch {
    here.set(name, text);
  }
}

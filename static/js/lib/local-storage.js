/** Keeps texts in local storage, or in memory if local storage is denied or full. */

/** @type {Map<string, string>} */
const here = new Map();

/** @param {string} name */
export function readText(name) {
  try {
    return here.get(name) ?? localStorage.getItem(name);
  } catch {
    return null;
  }
}

/** @param {string} name @param {string} text */
export function save(name, text) {
  try {
    localStorage.setItem(name, text);
    here.delete(name); // else this text hides later ones of other windows
  } catch {
    here.set(name, text);
  }
}

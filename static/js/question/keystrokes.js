/** Keystrokes and history. */

/** @typedef {import("../lib/store.js").How} How */

/**
 * The first keystroke after focus makes a history entry, later ones do not.
 * @param {HTMLElement} control @returns {() => How}
 */
export function keystrokes(control) {
  let fresh = true;
  control.addEventListener("focus", () => (fresh = true));
  return () => {
    const replace = !fresh;
    fresh = false;
    return { typing: true, replace };
  };
}

/** How a keystroke counts. */

/** @typedef {import("../lib/store.js").How} How */

/**
 * The first after the focus came is a step of the history, the rest is not.
 * @param {HTMLElement} control
 * @returns {() => How}
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

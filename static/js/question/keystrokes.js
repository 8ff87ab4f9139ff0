/** `How` of each keystroke: only the first after focus makes a history entry. @param {HTMLElement} control */
export function keystrokes(control) {
  let fresh = true;
  control.addEventListener("focus", () => (fresh = true));
  return () => {
    const replace = !fresh;
    fresh = false;
    return { typing: true, replace };
  };
}

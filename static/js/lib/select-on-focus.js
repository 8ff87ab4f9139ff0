/** Selects the text of an input when it gets the focus. @param {HTMLInputElement} input */
export function selectOnFocus(input) {
  let isFirst = false;
  input.addEventListener("focus", () => input.select());
  input.addEventListener("mousedown", () => (isFirst = document.activeElement !== input));
  // Safari takes the selection back when the press ends.
  input.addEventListener("mouseup", (event) => isFirst && event.preventDefault());
}

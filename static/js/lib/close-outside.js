/** @param {HTMLDetailsElement} menu */
export function closeOutside(menu) {
  document.addEventListener("pointerdown", (event) => {
    if (menu.open && !menu.contains(/** @type {Node} */ (event.target))) menu.open = false;
  });
  const onEscape = (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== "Escape" || !menu.open) return;
    menu.open = false;
    menu.querySelector("summary")?.focus();
    event.stopPropagation();
  };
  menu.addEventListener("keydown", onEscape);
  // Safari gives what is pressed no focus: the key then reaches the page, whose parts must not take it first
  const onPage = (/** @type {any} */ event) => event.target.contains(menu) && onEscape(event);
  document.addEventListener("keydown", onPage, true);
}

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
  // Safari does not focus what is pressed: then the key goes to the page, and closes the menu before other parts take it.
  const onPage = (/** @type {any} */ event) => event.target.contains(menu) && onEscape(event);
  document.addEventListener("keydown", onPage, true);
}

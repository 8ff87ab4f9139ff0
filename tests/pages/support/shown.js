/** Whether an element is shown, from its attributes: computed styles of jsdom match every rule of the sheet each time. */

/** @param {any} element */
function isClosed(element) {
  const { localName, parentElement: around } = element;
  return (
    element.hasAttribute("hidden") ||
    (localName === "dialog" && !element.open) ||
    (localName !== "summary" && around?.localName === "details" && !around.open)
  );
}

/** Whether neither an element nor anything around it is hidden or closed. @param {any} element */
export function isShown(element) {
  if (!element.isConnected) return false;
  for (let each = element; each; each = each.parentElement) if (isClosed(each)) return false;
  return true;
}

/** The computed style of an element, as far as tests and pages read it. @param {any} element */
export const styleOf = (element) => ({
  display: isClosed(element) ? "none" : "block",
  visibility: "visible",
  pointerEvents: "auto",
  fontFamily: "",
  getPropertyValue(name) {
    return this[name] ?? element.style?.getPropertyValue(name) ?? "";
  },
});

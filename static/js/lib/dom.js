/**
 * Attributes `on…` become listeners; `false` and `null` omit an attribute, `true` writes an empty one.
 * @template {keyof HTMLElementTagNameMap} Tag @param {Tag} tag @param {Record<string, unknown>} [attributes]
 * @param {...(Child | Child[])} children
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) setAttribute(element, name, value);
  element.append(...nodes(children));
  return element;
}

/** @param {HTMLElement} element @param {string} name @param {unknown} value */
function setAttribute(element, name, value) {
  if (name.startsWith("on") && typeof value === "function") {
    element.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
  } else if (value !== null && value !== undefined && value !== false) {
    element.setAttribute(name, value === true ? "" : String(value));
  }
}

/** @param {(Child | Child[])[]} children */
function nodes(children) {
  return children
    .flat()
    .filter((child) => child !== null && child !== undefined && child !== false)
    .map((child) => (child instanceof Node ? child : String(child)));
}

/** @param {Element} element @param {...(Child | Child[])} children */
export function fill(element, ...children) {
  element.replaceChildren(...nodes(children));
}

/** @param {string} selector @param {ParentNode} [root] */
export function find(selector, root = document) {
  const element = root.querySelector(selector);
  if (!(element instanceof HTMLElement)) throw new Error(`no ${selector} in the page`);
  return element;
}

/** An element if the text is MathML, else a text node. @param {string} text */
export function math(text) {
  const parsed = new DOMParser().parseFromString(text, "text/html").body.firstElementChild;
  return parsed?.localName === "math" ? document.importNode(parsed, true) : new Text(text);
}

/** Whether the event's target handles keys itself. @param {KeyboardEvent} event */
export const isTaken = ({ target }) =>
  target instanceof Element && target.closest("input, textarea, select, dialog:modal") !== null;

/**
 * Whether an element is shown. Rectangles show it in Safari 17.3, which lacks `checkVisibility`; in other browsers what
 * closed `details` hide has them too.
 * @param {Element} element
 */
export const isVisible = (element) => element.checkVisibility?.() ?? element.getClientRects().length;

/** @typedef {Node | string | null | undefined | false} Child */

/**
 * An SVG element; `false` and `null` omit an attribute.
 * @param {string} tag @param {Record<string, string | number | boolean | null | undefined>} [attributes]
 * @param {...(Child | Child[])} children
 */
export function s(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes))
    if (value !== null && value !== undefined && value !== false) element.setAttribute(name, String(value));
  element.append(...children.flat().flatMap((child) => (child ? [child] : [])));
  return element;
}

/** Elements of SVG, made like `h` makes those of HTML, and ticks for their axes. */

/** @typedef {Node | string | null | undefined | false} Child */

/**
 * @param {string} tag
 * @param {Record<string, string | number | boolean | null | undefined>} [attributes]
 * @param {...(Child | Child[])} children
 * @returns {SVGElement}
 */
export function s(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes))
    if (value !== null && value !== undefined && value !== false) element.setAttribute(name, String(value));
  element.append(...children.flat().flatMap((child) => (child ? [child] : [])));
  return element;
}

/**
 * Round numbers from 0 up to at most `most`, about `count` of them.
 * @param {number} most
 * @param {number} count
 */
export function ticks(most, count) {
  if (!(most > 0) || !Number.isFinite(most)) return [0];
  const rough = most / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = /** @type {number} */ ([1, 2, 5, 10].find((each) => each * power >= rough)) * power;
  return Array.from({ length: Math.floor(most / step + 1e-9) + 1 }, (_, at) => at * step);
}

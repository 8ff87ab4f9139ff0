/** Texts of elements as they are seen: without the white space around and between the words. */

/** @param {Element} element */
export const textOf = (element) => element.textContent.replace(/\s+/g, " ").trim();

/** @param {Iterable<Element>} elements */
export const textsOf = (elements) => [...elements].map(textOf);

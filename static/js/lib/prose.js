/** Keeps MathML, and replaces other elements by their text. @param {string} html */
export function prose(html) {
  const { childNodes } = new DOMParser().parseFromString(html, "text/html").body;
  return Array.from(childNodes, (node) =>
    node instanceof Element && node.localName !== "math"
      ? new Text(node.textContent ?? "")
      : document.importNode(node, true),
  );
}

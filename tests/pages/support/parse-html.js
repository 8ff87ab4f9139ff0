/** Parses pieces of HTML without the address of the page, which jsdom reads again, letter by letter, for each of them. */

const SPACE = /^[\t\n\f\r ]+/; // before the body: dropped where a whole document is parsed

/** @param {any} window of jsdom */
export function parseFast({ document, DOMParser: { prototype } }) {
  const parse = prototype.parseFromString;
  prototype.parseFromString = function (text, type) {
    if (type !== "text/html") return parse.call(this, text, type);
    const made = document.implementation.createHTMLDocument();
    made.body.innerHTML = text.replace(SPACE, "");
    return made;
  };
}

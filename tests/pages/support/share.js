/** The dialog "Share & export". */

import { pictureOf } from "./cells.js";

/**
 * Opens the dialog with the button of the page.
 * @param {import("./explore.js").Explore} page
 * @param {number[][][][]} [bitmaps] takes every picture that becomes a bitmap of a figure
 * @returns {Promise<any>}
 */
export async function openShare(page, bitmaps = []) {
  page.window.HTMLCanvasElement.prototype.toDataURL = function () {
    bitmaps.push(pictureOf(this));
    return `data:image/png;base64,${bitmaps.length}`;
  };
  await page.click(page.in(page.one("#share")).getByText("Share & export", { selector: "button" }));
  return page.see("#takeaway[open]");
}

/** The figure of the chosen stage, as it will look on paper. @param {import("./explore.js").Explore} page @returns {any} */
export const figure = (page) => page.one("#takeaway .preview").shadowRoot.querySelector("svg");

/** The texts of a figure. @param {Element} svg */
export const textsOf = (svg) => [...svg.querySelectorAll("text")].map(({ textContent }) => textContent);

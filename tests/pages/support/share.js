/** The dialog "Share & export". */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
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

/**
 * What the copied command prints, as JSON.
 * @param {import("./explore.js").Explore} page @returns {Promise<{command: string, reply: any}>}
 */
export async function commandOf(page) {
  const dialog = page.in(page.document.querySelector("#takeaway[open]") ?? (await openShare(page)));
  await page.click(dialog.getByRole("button", { name: "Copy as curl" }));
  await page.until(() => assert.equal(dialog.getByRole("status").textContent, "Copied."));
  const command = await page.window.navigator.clipboard.readText();
  return { command, reply: await run(command) };
}

/** What a command of a shell prints, as JSON. @param {string} command @returns {Promise<any>} */
function run(command) {
  return new Promise((resolve, reject) => {
    const done = (error, printed) => (error ? reject(error) : resolve(JSON.parse(printed)));
    execFile("bash", { maxBuffer: 2 ** 26 }, done).stdin.end(command);
  });
}

/** One text of several lines, and the box that takes it. */

import assert from "node:assert/strict";

export const POEM = "the cat sat\non the mat\n\nand slept";

/** A radio button under the box: whether line breaks belong to the text. @param {boolean} breaks @returns {any} */
export function choice(page, breaks, root = page.one("#sentence")) {
  return page.in(root).getByLabelText(breaks ? "Line breaks belong to the text" : "Each line is a text of its own");
}

/** Waits until a radio button under the box is chosen. @param {boolean} breaks */
export const isChosen = (page, breaks, root = undefined) =>
  page.until(() => assert.ok(choice(page, breaks, root).checked, `breaks: ${breaks}`));

/** What is said of a text that is not taken. */
export const refusal = (page) => page.one("#sentence .text-tools [role=alert]");

/** Waits until a refusal has a text. @param {RegExp} text */
export const refuses = (page, text) => page.until(() => assert.match(refusal(page).textContent, text));

/** A file with a text or with bytes. @param {string} name @param {string | Uint8Array} content */
export const file = (page, name, content) => new page.window.File([content], name);

/** Chooses a file with the button beside the box. */
export async function chooseFile(page, chosen) {
  const field = page.one("#sentence input[type=file]");
  const opened = new Promise((resolve) => field.addEventListener("click", resolve, { once: true }));
  await page.click(page.button(/^Open a text file/, page.one("#sentence")));
  await opened;
  await page.user.upload(field, chosen);
}

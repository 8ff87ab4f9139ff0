/** The tab of the lines as the tests use it. */

import assert from "node:assert/strict";

/** @param {import("./one-page.js").Visit} visit @param {string} [more] of the address */
export async function openLines(visit, more = "") {
  const page = await visit(`/?tab=lines${more}`);
  await page.until(() => assert.ok(optionsOf(page, "Keys").length > 0));
  return page;
}

/** The tokens of a side. @param {"Queries" | "Keys"} name @returns {any[]} */
export const optionsOf = (page, name) => page.all(`.web ul.axis-${name === "Keys" ? "key" : "query"} > [role=option]`);

/** The last number of the note: how many weights are large enough for a line. */
export const countOf = (page) => Number(page.one(".lines .muted").textContent.replaceAll(",", "").match(/\d+/g).at(-1));

/** Waits until there are so many lines. @param {number} count */
export const hasLines = (page, count) => page.until(() => assert.equal(countOf(page), count));

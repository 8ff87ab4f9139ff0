/** The tab of parameters as the tests use it: its pictures, its facts, its planes of tokens. */

import assert from "node:assert/strict";
import { textOf, textsOf } from "./texts.js";

/** @typedef {import("./explore.js").Explore} Explore */

/** @param {Explore} page @returns {any} */
export const panel = (page) => page.one("#panel-parameters");

/** @param {import("./one-page.js").Visit} visit @param {string} [more] of the address */
export async function openParameters(visit, more = "") {
  const page = await visit(`/?tab=parameters${more}`);
  await page.until(() => assert.ok(page.one("[data-tensor] canvas[data-layer]", panel(page))));
  await titled(page, /^Singular values/);
  return page;
}

/** A heading or a button by its text; letters of it may stand low. @param {Explore} page @param {string} selector @param {RegExp} text @returns {any} */
export const named = (page, selector, text) => page.all(selector, panel(page)).find((each) => text.test(textOf(each)));

/** Presses the button of a matrix: WQ, WQ WKᵀ … @param {Explore} page @param {string} matrix */
export const chooseMatrix = (page, matrix) => page.click(named(page, ".matrices button", new RegExp(`^${matrix}$`)));

/** Waits for a heading. @param {Explore} page @param {RegExp} text @returns {Promise<any>} */
export const titled = (page, text) =>
  page.until(() => {
    const found = named(page, "h3", text);
    assert.ok(found?.checkVisibility(), `no heading: ${text}`);
    return found;
  });

/** The cells of each row of a table, by the row's name. @param {Explore} page @param {Element} table @returns {Map<string, string[]>} */
export const facts = (page, table) =>
  new Map(
    page.all("tbody tr", table).map((row) => [row.querySelector("th").textContent, textsOf(page.all("td", row))]),
  );

/** The planes of the tokens before and after the matrix. @param {Explore} page @returns {any[]} */
export const planes = (page) => page.all(".planes:not(.more) svg", panel(page));
